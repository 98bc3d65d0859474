import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeProvider } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

let folder: string
const start = process.cwd()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-'))
  process.chdir(folder)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  process.chdir(start)
  rmSync(folder, { recursive: true })
})

it("finds a user's earlier message, keeps a note, and forgets both", async () => {
  const turns = [
    { toolCalls: [{ name: 'remember', input: { text: 'Has an apple tree.' } }] },
    { text: 'I will keep that in mind.' },
    { toolCalls: [{ name: 'recall', input: { query: 'apple tree' } }] },
    { text: 'You have an apple tree.' },
  ]
  await using server = await fakeProvider('openai-responses', turns)
  const { fetch } = globalThis
  const redirected = (url: string, init?: RequestInit): Promise<Response> =>
    fetch(url.replace('https://api.openai.com/v1', server.url), init)
  vi.stubGlobal('fetch', redirected)
  vi.stubEnv('OPENAI_API_KEY', 'test-key-5f3a9c27d1')
  const { agent, aboutUser, forgetUser } = await import('./memory.ts')
  await agent.chat('I have an apple tree.', { userId: 'ada', sessionId: 'monday' })
  const { sources } = await agent.stream('Which tree?', { userId: 'ada', sessionId: 'friday' }).result
  expect(sources).toMatchObject([{ file: 'session/monday', session: { sessionId: 'monday' } }])
  expect(JSON.stringify(server.requests[2])).toContain('Has an apple tree.')
  expect(await aboutUser('ada', 'apple')).toEqual([
    'Note: Has an apple tree.',
    expect.stringMatching(/^(monday|friday), \d{4}-.*apple tree/s),
    expect.stringMatching(/^(monday|friday), \d{4}-.*apple tree/s),
  ])
  expect(await aboutUser('bob', 'apple')).toEqual([])
  await forgetUser('ada')
  expect(await aboutUser('ada', 'apple')).toEqual([])
  await agent.close()
})
