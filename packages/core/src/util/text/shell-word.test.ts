import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './shell-word.ts'

it.each(['agent.ts', 'my files/a b', "Ann's", '$HOME `id` "x" ; #', 'Grüße\n日本', ''])('is read back: %j', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
})

it('leaves usual names as they are', () => {
  expect(shellWord('./src/team-2.ts')).toBe('./src/team-2.ts')
})
