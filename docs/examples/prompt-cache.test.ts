import { fakePromptCache, fakeProvider } from '@agentkit/testing'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

it('reads the beginning of a conversation from the cache', async () => {
  const cache = fakePromptCache('anthropic')
  const text = 'It stands on the shelf by the window. '.repeat(150)
  await using server = await fakeProvider('anthropic', ({ body }) => ({ text, usage: cache.receive(body) }))
  vi.stubEnv('ANTHROPIC_BASE_URL', server.url)
  vi.stubEnv('ANTHROPIC_API_KEY', 'test-key-5f3a9c27d1')
  const { agent, ask } = await import('./prompt-cache.ts')
  const sessionId = `books-${crypto.randomUUID()}`
  const shares: number[] = []
  for (const question of ['Where is Ulysses?', 'And Emma?', 'And Dune?']) {
    shares.push((await ask(question, sessionId)).share)
  }
  await agent.close()
  // The first prompt that is long enough to be cached is the second one.
  expect(shares.slice(0, 2)).toEqual([0, 0])
  expect(shares[2]).toBeGreaterThan(0.4)
})
