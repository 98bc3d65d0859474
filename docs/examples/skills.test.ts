import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeProvider } from '@agentkit/testing'
import { afterEach, expect, it, vi } from 'vitest'

const start = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'agentkit-'))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  process.chdir(start)
  rmSync(folder, { recursive: true, force: true })
})

it('has the house style in its instruction, and loads the skill that the task needs', async () => {
  for (const [name, text] of Object.entries({
    'house-style': 'Write in British English.',
    refunds: 'Ask for the number.',
  })) {
    mkdirSync(join(folder, 'skills', name), { recursive: true })
    writeFileSync(
      join(folder, 'skills', name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: About ${name}.\n---\n${text}\n`,
    )
  }
  process.chdir(folder)
  const call = { toolCalls: [{ name: 'load_skill', input: { name: 'refunds' } }] }
  await using server = await fakeProvider('openai-responses', [call, { text: 'What is the number of your order?' }])
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
    fetch(url.replace('https://api.openai.com/v1', server.url), init),
  )
  vi.stubEnv('OPENAI_API_KEY', 'test-key-5f3a9c27d1')
  vi.stubEnv('CI', '')
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { clerk } = await import('./skills.ts')
  expect(await clerk.chat('I want my money back.')).toBe('What is the number of your order?')
  expect(JSON.stringify(server.requests[0])).toContain('Write in British English.')
  expect(JSON.stringify(server.requests[0])).not.toContain('Ask for the number.')
  expect(JSON.stringify(server.requests[1])).toContain('Ask for the number.')
  await clerk.close()
})
