import { fakeProvider } from '@agentkit/testing'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

it("answers with the value from the user's device, and without it", async () => {
  const call = { toolCalls: [{ name: 'locate', input: {} }] }
  const turns = [call, { text: 'Take an umbrella.' }, call, { text: 'Where are you?' }]
  await using server = await fakeProvider('openai-responses', turns)
  const { fetch } = globalThis
  const redirected = (url: string, init?: RequestInit): Promise<Response> =>
    fetch(url.replace('https://api.openai.com/v1', server.url), init)
  vi.stubGlobal('fetch', redirected)
  vi.stubEnv('OPENAI_API_KEY', 'test-key-5f3a9c27d1')
  const { agent, answer } = await import('./client-tools.ts')
  expect(await answer('An umbrella?', async () => 'Oslo')).toBe('Take an umbrella.')
  expect(JSON.stringify(server.requests[1])).toContain('Oslo')
  expect(await answer('An umbrella?', async () => undefined)).toBe('Where are you?')
  expect(JSON.stringify(server.requests[3])).toContain('The user does not share the location.')
  await agent.close()
})
