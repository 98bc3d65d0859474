import { fakeProvider } from '@agentkit/testing'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

it('answers a page on useChat by an agent, whose model is one of the AI SDK', async () => {
  await using server = await fakeProvider('openai-responses', [
    { toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] },
    { text: 'Take an umbrella.' },
  ])
  const { fetch } = globalThis
  const redirected = (url: string, init?: RequestInit): Promise<Response> =>
    fetch(url.replace('https://api.openai.com/v1', server.url), init)
  vi.stubGlobal('fetch', redirected)
  vi.stubEnv('OPENAI_API_KEY', 'test-key-5f3a9c27d1')
  const { agent, POST } = await import('./ai-sdk.ts')
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Oslo?' }] }]
  const request = new Request('http://localhost/api/chat', { method: 'POST', body: JSON.stringify({ messages }) })
  const body = await (await POST(request)).text()
  expect(body).toContain('"type":"tool-output-available"')
  const deltas = [...body.matchAll(/"type":"text-delta","id":"\d+","delta":"([^"]*)"/g)].map(([, delta]) => delta)
  expect(deltas.join('')).toBe('Take an umbrella.')
  await agent.close()
})
