import type { AssistantMessage, UsageRow } from '@agentkit/core'
import { expect, it } from 'vitest'
import { key } from '../session-store-contract/turns.ts'
import { approval, done, type GetRuns, newRun } from './runs.ts'

/** Stores may leave `usage` out. */
export function usageTests(getRuns: GetRuns): void {
  it('sums what the runs of an owner have used, by day, model and session', async () => {
    const { runs, store } = getRuns()
    const add = async (runId: string, owner: Partial<typeof key>, model: string, usd?: number): Promise<void> => {
      const session = { ...key, ...owner }
      const expectedVersion = (await store.load(session))?.version ?? 0
      const agentId = session.agentId.replace(/:.*/, '')
      await runs.create(session, newRun(runId, { agentId, expectedVersion }))
      const answer: AssistantMessage = {
        v: 1,
        role: 'assistant',
        content: [{ type: 'text', text: '"model":"x"' }],
        model,
      }
      const ending = { ...done, ...(usd !== undefined && { cost: { usd } }) }
      const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, totalTokens: 12 }
      await runs.end(runId, { attempt: 1, messages: [answer], usage, ...ending })
    }
    await add('r1', {}, 'test/one', 0.5)
    await add('r2', {}, 'test/two', 0.25)
    await add('r3', { sessionId: 's2' }, 'test/two')
    await add('r4', { agentId: 'helper:alone', sessionId: 'r4' }, 'test/two')
    await add('bob1', { userId: 'bob' }, 'test/one', 1)
    await add('other1', { agentId: 'other' }, 'test/one')
    if (!runs.usage) return

    const { usage } = runs
    const all = { runs: 100, limit: 100 }
    const lines = async (...[owner, filter]: Parameters<typeof usage>): Promise<string[]> =>
      ((await runs.usage?.(owner, filter)) ?? []).map(lineOf)
    const day = new Date(runs.now()).toISOString().slice(0, 10)
    expect(await lines(key, { by: 'day', ...all })).toEqual([`${day} 4 runs 40/8 0.75`])
    expect(await lines(key, { by: 'model', ...all })).toEqual(['test/one 1 runs 10/2 0.5', 'test/two 3 runs 30/6 0.25'])
    expect(await lines(key, { by: 'session', ...all })).toEqual([
      ...['ann - 1 runs 10/2 -', 'ann s1 2 runs 20/4 0.75', 'ann s2 1 runs 10/2 -'],
    ])
    expect(await lines({ agentId: 'helper' }, { by: 'day', ...all })).toEqual([`${day} 5 runs 50/10 1.75`])
    expect(await lines({ agentId: 'helper' }, { by: 'session', ...all })).toContain('bob s1 1 runs 10/2 1')
    expect(await lines(key, { by: 'session', runs: 100, limit: 2 })).toHaveLength(2)
    const bob = { agentId: 'helper', userId: 'bob' }
    const created = Date.parse((await runs.read('bob1'))?.record.createdAt ?? '')
    expect(await lines(bob, { by: 'session', from: created, to: created + 1, ...all })).toHaveLength(1)
    expect(await lines(bob, { by: 'session', to: created, ...all })).toEqual([])
    const later = runs.now() + 1
    expect(await lines(key, { by: 'day', from: later, ...all })).toEqual([])
    expect(await lines(key, { by: 'day', from: later - 86_400_000, to: later, ...all })).toHaveLength(1)
    expect(await runs.usage(key, { by: 'day', runs: 3, limit: 100 })).toBeUndefined()
  })

  it('knows the models of answers with any characters', async () => {
    const { runs } = getRuns()
    const texts = ['a\0b', 'half \ud800', 'half \udc00', '\\u0000 \\', '\\\0"', '😀\n\u0001']
    for (const [index, text] of texts.entries()) {
      await runs.create({ ...key, sessionId: `s${index}` }, newRun(`r${index}`))
      const call: AssistantMessage['content'][number] = {
        type: 'tool-call',
        callId: text,
        name: 'note',
        input: { text },
      }
      const answer: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text }, call], model: 'test/é' }
      await runs.end(`r${index}`, { attempt: 1, messages: [answer], ...done })
    }
    const rows = await runs.usage?.(key, { by: 'model', runs: 100, limit: 100 })
    if (runs.usage) expect(rows?.map(lineOf)).toEqual(['test/é 6 runs 0/0 -'])
  })

  it('sums what models report, also numbers that are not exact any more', async () => {
    const { runs } = getRuns()
    for (const [index, inputTokens] of [2 ** 53, 2 ** 62, 2 ** 62, 10].entries()) {
      await runs.create({ ...key, sessionId: `s${index}` }, newRun(`r${index}`))
      await runs.end(`r${index}`, { attempt: 1, usage: { inputTokens, outputTokens: 2 }, ...done })
    }
    const [row] = (await runs.usage?.(key, { by: 'day', runs: 100, limit: 100 })) ?? []
    if (runs.usage) expect(row).toMatchObject({ runs: 4, inputTokens: 2 ** 63 + 2 ** 53, outputTokens: 8 })
  })

  it('keeps what a run that waits has cost by now, until it ends', async () => {
    const { runs, store } = getRuns()
    const lines = async (): Promise<string[] | undefined> =>
      (await runs.usage?.(key, { by: 'session', runs: 100, limit: 100 }))?.map(lineOf)
    await runs.create(key, newRun('r1'))
    const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 }
    await runs.suspend('r1', { attempt: 1, usage, cost: { usd: 0.5 }, approvals: [approval('a')] })
    expect((await runs.read('r1'))?.record).toMatchObject({ status: 'waiting', usage, cost: { usd: 0.5 } })
    if (runs.usage) expect(await lines()).toEqual(['ann s1 1 runs 10/2 0.5'])
    await runs.decide('r1', { a: true })
    await runs.takeOver('r1', { expectedVersion: (await store.load(key))?.version ?? 0 })
    await runs.end('r1', { attempt: 2, ...done, cost: { usd: 0.75 } })
    expect((await runs.read('r1'))?.record).toMatchObject({ status: 'done', cost: { usd: 0.75 } })
    if (runs.usage) expect(await lines()).toEqual(['ann s1 1 runs 10/2 0.75'])
  })
}

function lineOf({ key = '-', userId, runs, inputTokens, outputTokens, usd }: UsageRow): string {
  return `${userId === undefined ? '' : `${userId} `}${key} ${runs} runs ${inputTokens}/${outputTokens} ${usd ?? '-'}`
}
