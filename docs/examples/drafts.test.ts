import { fakeProvider } from '@agentkit/testing'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

it('shows a plan while it is written, and each step once', async () => {
  const steps = ['Boil', 'Pour'].map((name) => ({ name, minutes: 1 }))
  const turn = { text: JSON.stringify({ title: 'Tea', steps }) }
  await using server = await fakeProvider('openai-responses', [turn, turn])
  const { fetch } = globalThis
  const redirected = (url: string, init?: RequestInit): Promise<Response> =>
    fetch(url.replace('https://api.openai.com/v1', server.url), init)
  vi.stubGlobal('fetch', redirected)
  vi.stubEnv('OPENAI_API_KEY', 'test-key-5f3a9c27d1')
  const { agent, showPlan, begin } = await import('./drafts.ts')
  const shown: string[] = []
  await showPlan('How do I make tea?', (text) => shown.push(text))
  expect(shown.length).toBeGreaterThan(1)
  expect(shown.at(-1)).toBe('Tea: Boil, Pour')
  const begun: unknown[] = []
  await begin('How do I make tea?', (step) => begun.push(step))
  expect(begun).toEqual(steps)
  await agent.close()
})
