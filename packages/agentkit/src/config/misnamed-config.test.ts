import { expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { checkConfig } from '../cli/doctor/check-config.ts'
import { misnamedConfig } from './misnamed-config.ts'
import { noConfig } from './read-config.ts'

const folder = useFolder()
const sentence =
  "agentkit.toml is not read: the configuration is agentkit_config.toml. Rename it, or pass configPath: 'agentkit.toml'."

it('names a file that looks like the configuration in the error of a missing model and in doctor', async () => {
  folder.write('agentkit.toml', '[defaults]\nmodel = "offline/extractive"\n')
  expect(() => new Agent({ name: 'Clerk' })).toThrow(sentence)
  const project = { config: noConfig() } as Parameters<typeof checkConfig>[0] // what the check reads of it
  expect(await checkConfig(project)).toEqual({ status: 'warn', detail: sentence })
})

it('reports nothing where there is no such file', () => {
  expect(misnamedConfig()).toBeUndefined()
  expect(() => new Agent({ name: 'Clerk' })).toThrow('"offline/extractive" needs no key.')
})
