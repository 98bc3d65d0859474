import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useFolder } from '../../__fixtures__/use-folder.ts'
import type { Choices } from './choices.ts'
import { planProject, writeProject } from './write-project.ts'

const folder = useFolder()
const choices: Choices = { providers: ['openai'], template: 'agent', manager: 'npm' }

it('replaces no file that was made after the plan', () => {
  const plan = planProject(folder.path('here'), choices, false)
  folder.write('here/agent.ts', 'mine')
  expect(() => writeProject(plan)).toThrow(
    expect.objectContaining({
      code: 'storage',
      message: expect.stringMatching(/agent\.ts cannot be written \(EEXIST\)/),
    }),
  )
  expect(readFileSync(folder.path('here/agent.ts'), 'utf8')).toBe('mine')
})

it.runIf(process.platform !== 'win32')('keeps a link, also one to a file that is not there', () => {
  folder.write('here/tsconfig.json', '{}')
  writeFileSync(folder.path('agent-of-others.ts'), 'theirs')
  symlinkSync(folder.path('agent-of-others.ts'), folder.path('here/agent.ts'))
  symlinkSync(folder.path('missing.ts'), folder.path('here/agent.test.ts'))
  const plan = planProject(folder.path('here'), choices, false)
  expect(plan.kept).toEqual(expect.arrayContaining(['agent.ts', 'agent.test.ts', 'tsconfig.json']))
  writeProject(plan)
  expect(readFileSync(folder.path('agent-of-others.ts'), 'utf8')).toBe('theirs')
  expect(existsSync(folder.path('missing.ts'))).toBe(false)
})
