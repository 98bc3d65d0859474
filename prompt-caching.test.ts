import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, type Model } from '@agentkit/core'
import { type CachedUsage, type FakeProvider, fakePromptCache, fakeProvider } from '@agentkit/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildPackages, builtEnvironment } from './scripts/built/index.ts'
import { cachingProviders, collector } from './scripts/prompt-caching.ts'

const steps = 17

let folder: string
let file: string
beforeAll(buildPackages)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-prompt-cache-'))
  file = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

// At the root, as it uses several providers, which do not know each other, and a store.
describe.each(Object.entries(cachingProviders))('the cache of %s', (name, { wire, rules, model: modelAt }) => {
  const cache = fakePromptCache(rules)
  let server: FakeProvider
  let usages: CachedUsage[]
  let approval: number | undefined
  beforeEach(async () => {
    usages = []
    approval = undefined
    server = await fakeProvider(wire, ({ body }) => {
      const usage = cache.receive(body)
      usages.push(usage)
      const step = (usages.length - 1) % steps
      const reported = { usage: { ...usage, outputTokens: 20 }, reasoning: 'One part after the other.' }
      const hasTools = JSON.stringify(body).includes('Acts on a part')
      if (step === steps - 1 || !hasTools) return { ...reported, text: 'All parts stand on their shelves.' }
      return { ...reported, toolCalls: [{ name: step === approval ? 'pay' : 'look', input: { n: usages.length } }] }
    })
  })
  afterEach(() => server.close())

  it(`is read for nine tenths of the input of ${steps} steps`, async () => {
    const agent = collector(modelAt(server.url), file)
    const { usage, finishReason, warnings } = await agent.stream('Look at all parts.', { sessionId: 's' }).result
    await agent.sessions.close()
    expect(finishReason).toBe('stop')
    expect(usages).toHaveLength(steps)
    expect(shareRead(usages)).toBeGreaterThanOrEqual(0.9)
    expect(usage.cachedInputTokens).toBe(sum(usages, 'cachedInputTokens'))
    expect(reread(warnings)).toEqual([])
  })

  it('is read over all runs of a session, while the conversation is shortened', async () => {
    const agent = collector(withWindow(modelAt(server.url), 30_000), file)
    const shortened: string[] = []
    for (let run = 0; run < 6; run++) {
      const { warnings, error } = await agent.stream(`Look at all parts, ${run}.`, { sessionId: 's' }).result
      expect(error).toBeUndefined()
      shortened.push(...reread(warnings))
    }
    await agent.sessions.close()
    expect(shortened.length).toBeGreaterThanOrEqual(1)
    expect(shortened.join()).not.toContain('the tools changed')
    expect(shareRead(usages)).toBeGreaterThanOrEqual(0.9)
  })

  it('is read on by another process, after an approval', async () => {
    approval = 8
    const agent = collector(modelAt(server.url), file)
    const { runId, approvals } = await agent.stream('Pay on the way.', { sessionId: 's', onApproval: 'end' }).result
    await agent.sessions.close()
    expect(usages).toHaveLength(approval + 1)
    const script = join(import.meta.dirname, 'scripts/prompt-caching.ts')
    const args = [script, name, server.url, file, runId, approvals[0]?.approvalId ?? '']
    const options = { timeout: 60_000, env: builtEnvironment() }
    const { stdout } = await promisify(execFile)(process.execPath, args, options)
    expect(JSON.parse(stdout)).toMatchObject({ text: 'All parts stand on their shelves.' })
    expect(usages).toHaveLength(steps)
    expect(shareRead(usages)).toBeGreaterThanOrEqual(0.9)
  })

  it('is not written for a question that no request repeats', async () => {
    const agent = new Agent({ name: 'One', instruction: 'You are brief. '.repeat(400), model: modelAt(server.url) })
    await agent.stream('Why?').result
    expect(sum(usages, 'cacheWriteTokens')).toBe(0)
    expect(sum(usages, 'inputTokens')).toBeGreaterThan(1_024)
  })

  it('is neither read nor written where the agent says so', async () => {
    const agent = collector(modelAt(server.url), file, { cache: 'off' })
    await agent.stream('Look at all parts.').result
    await agent.sessions.close()
    const body = JSON.stringify(server.requests.map((request) => request.body))
    expect(body).not.toMatch(/prompt_cache_key|prompt_cache_breakpoint|cache_control/)
    expect(sum(usages, 'cacheWriteTokens')).toBe(0)
  })
})

it.each(['vllm', 'openrouter'])('sends no field about caching to another server, such as %s', async () => {
  await using server = await fakeProvider('openai-chat', [{ toolCalls: [{ name: 'look', input: { n: 1 } }] }, 'Done.'])
  const { openai } = await import('./packages/providers-openai/src/index.ts')
  const agent = collector(openai({ apiKey: 'test', baseURL: server.url }).model('gpt-5.6'), file)
  await agent.chat('Look.')
  await agent.sessions.close()
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('prompt_cache')
})

function withWindow(model: Model, contextWindow: number): Model {
  return { ...model, info: { ...model.info, contextWindow, maxOutputTokens: 1_000 } }
}

function sum(usages: readonly CachedUsage[], field: keyof CachedUsage): number {
  return usages.reduce((total, usage) => total + usage[field], 0)
}

function shareRead(usages: readonly CachedUsage[]): number {
  return sum(usages, 'cachedInputTokens') / sum(usages, 'inputTokens')
}

function reread(warnings: readonly string[]): string[] {
  return warnings.filter((warning) => warning.endsWith('were read again.'))
}
