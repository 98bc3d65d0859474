import type { RunStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import { approval, done, event } from '../run-store-contract/runs.ts'
import { aloneKey, enqueue, finish, type GetBackground, queued, takeOver } from './background.ts'

/** Tests the common event stream of a run and its members. */
export function eventTests(getStores: GetBackground): void {
  it('numbers the events of members in the stream of the root, in the order in which they are written', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const [a, b] = [memberOf('r1/a'), memberOf('r1/b')]
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    await runs.append('r1', { attempt: 1, events: [event('r1', 1), event('r1', 2)] })
    await background.delegate('r1', { attempt: 1, events: [event('r1', 3)], members: [a, b] })
    await takeOver(stores, 'r1/a', a.key)
    await takeOver(stores, 'r1/b', b.key)
    await runs.append('r1/a', { attempt: 1, events: [event('a', 1), event('a', 2)] })
    await runs.append('r1/b', { attempt: 1, events: [event('b', 1)] })
    await runs.append('r1/a', { attempt: 1, events: [event('a', 3)] })
    // The last events of the root, which its process had not stored yet.
    await runs.append('r1', { attempt: 1, events: [event('r1', 4)] })
    expect(await shown(runs, 'r1')).toEqual(['1 r1', '2 r1', '3 r1', '4 a', '5 a', '6 b', '7 a', '8 r1'])
    expect(await shown(runs, 'r1/a')).toEqual(['4 a', '5 a', '7 a'])
    expect(await shown(runs, 'r1/b')).toEqual(['6 b'])
    expect(await runs.eventRange('r1')).toEqual({ oldest: 1, last: 8 })
    expect(await runs.eventRange('r1/a')).toEqual({ oldest: 4, last: 7 })
    expect((await runs.read('r1/a'))?.lastSeq).toBe(7)
    expect((await runs.read('r1'))?.lastSeq).toBe(8)
    expect((await runs.events('r1', 3, 2)).map(({ seq }) => seq)).toEqual([4, 5])
    expect((await runs.events('r1/a', 4, 10)).map(({ seq }) => seq)).toEqual([5, 7])

    // A number that is higher is kept.
    await runs.append('r1/b', { attempt: 1, events: [event('b', 1_000)] })
    await runs.end('r1/a', { attempt: 1, events: [event('a', 4)], ...done })
    expect((await shown(runs, 'r1')).slice(-2)).toEqual(['1000 b', '1001 a'])
  })

  it('stores no event twice', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const a = memberOf('r1/a')
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    const own = { attempt: 1, events: [event('r1', 1), event('r1', 2)] }
    await runs.append('r1', own)
    await runs.append('r1', own)
    await background.delegate('r1', { attempt: 1, members: [a] })
    await takeOver(stores, 'r1/a', a.key)
    const entry = { attempt: 1, events: [event('a', 1), event('a', 2)] }
    await runs.append('r1/a', entry)
    await runs.append('r1', own)
    await runs.append('r1/a', entry)
    await runs.append('r1/a', { attempt: 1, events: [event('a', 2), event('a', 3)] })
    expect(await shown(runs, 'r1')).toEqual(['1 r1', '2 r1', '3 a', '4 a', '5 a'])
  })

  it('continues the stream after takeovers of the root and of members', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const a = memberOf('r1/a')
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 1, events: [event('r1', 1)], members: [a] })
    await takeOver(stores, 'r1/a', a.key)
    await runs.append('r1/a', { attempt: 1, events: [event('a', 1)] })
    await runs.suspend('r1/a', { attempt: 1, events: [event('a', 2)], approvals: [approval('a1')] })
    expect(await takeOver(stores, 'r1')).toMatchObject({ lastSeq: 3 })
    await runs.decide('r1/a', { a1: true })
    await background.delegate('r1', { attempt: 2, events: [event('r1', 4)], members: [a] })
    expect(await takeOver(stores, 'r1/a', a.key)).toMatchObject({ lastSeq: 3 })
    await runs.append('r1/a', { attempt: 2, events: [event('a', 4)] })
    expect(await shown(runs, 'r1')).toEqual(['1 r1', '2 a', '3 a', '4 r1', '5 a'])
    await finish(runs, 'r1/a', 2)
    expect(await takeOver(stores, 'r1')).toMatchObject({ lastSeq: 5 })
  })

  it('reports the writes of members to those who watch the root', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const a = memberOf('r1/a')
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 1, members: [a] })
    await takeOver(stores, 'r1/a', a.key)
    const calls: string[] = []
    const stop = runs.watch('r1', () => calls.push('called'))
    await runs.append('r1/a', { attempt: 1, events: [event('a', 1)] })
    expect(calls.length).toBeGreaterThan(0)
    calls.length = 0
    await finish(runs, 'r1/a')
    expect(calls.length).toBeGreaterThan(0)
    stop()
  })
}

function memberOf(runId: string) {
  return { runId, key: aloneKey(runId), options: {} }
}

async function shown(runs: RunStore, runId: string): Promise<string[]> {
  return (await runs.events(runId, 0, 100)).map(({ seq, runId }) => `${seq} ${runId}`)
}
