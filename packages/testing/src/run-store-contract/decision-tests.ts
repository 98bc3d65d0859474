import { expect, it } from 'vitest'
import { answer, begin, key, load, user } from '../session-store-contract/turns.ts'
import { afterCrash, approval, conflict, done, type GetRuns, newRun, suspend, versionOf } from './runs.ts'

/** Approvals: how runs wait for them, and how they are decided. */
export function decisionTests(getRuns: GetRuns): void {
  it('suspends a run, which releases its session', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1'))
    const entry = { attempt: 1, messages: [answer('May I?')], progress: { asks: 'a' }, state: 'asked' }
    expect(await runs.suspend('r1', { ...entry, approvals: [approval('apr_a')] })).toEqual({})
    expect(await store.find('r1')).toMatchObject({ status: 'waiting', messages: [user('r1'), answer('May I?')] })
    expect(await load(store, key)).toEqual({ version: 2, messages: [], state: 'asked' })
    expect(await runs.read('r1')).toMatchObject({ progress: { asks: 'a' }, approvals: [approval('apr_a')] })
    expect(await runs.orphans(['helper'])).toEqual([])
    await expect(runs.takeOver('r1', { expectedVersion: 2 })).rejects.toMatchObject(conflict)
    await begin(store, key, 'r2', 2)
  })

  it('frees a run once its last approval is decided, in whatever process', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    expect(await other.runs.decide('r1', { apr_a: { deny: 'too much' } }, 'bob')).toBe('waiting')
    expect(await runs.orphans(['helper'])).toEqual([])
    expect(await runs.decide('r1', { apr_b: { result: { paid: true } } })).toBe('running')
    const free = { runId: 'r1', agentId: 'helper', isLost: false, isResumable: true, takeovers: 0 }
    expect(await runs.orphans(['helper'])).toEqual([free])
    expect(await runs.list(key, { limit: 9 })).toMatchObject([{ status: 'running', approvals: [] }])
    const taken = await other.runs.takeOver('r1', { expectedVersion: 2 })
    expect(taken.approvals).toEqual([
      {
        ...approval('apr_a'),
        decision: { deny: 'too much' },
        decidedBy: 'bob',
        decidedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      { ...approval('apr_b'), decision: { result: { paid: true } }, decidedAt: expect.any(String) },
    ])
    await other.runs.end('r1', { attempt: 2, ...done })
  })

  it('resumes a decided run after a crash, though it was not resumable', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1', { isResumable: false }))
    await runs.suspend('r1', { attempt: 1, approvals: [approval('apr_a')] })
    await runs.decide('r1', { apr_a: true })
    await runs.takeOver('r1', { expectedVersion: await versionOf(store) })
    const other = await afterCrash(getRuns())
    expect(await other.runs.orphans(['helper'])).toMatchObject([{ isLost: true, isResumable: true }])
    expect(await versionOf(other.store)).toBe(3)
  })

  it.each([
    [true, 'approved'],
    [{ deny: 'no' }, 'denied'],
    [{ result: 1 }, 'result'],
  ] as const)('lets the first decision %j win, and names it with its time', async (first, word) => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: first })
    const at = (await runs.read('r1'))?.approvals[0]?.decidedAt ?? 'no time'
    const refused = await runs.decide('r1', { apr_a: true }).catch((error: unknown) => error)
    expect(refused).toMatchObject(conflict)
    expect(String(refused)).toContain(word)
    expect(String(refused)).toContain(at)
    expect((await runs.read('r1'))?.approvals[0]?.decision).toEqual(first)
  })

  it('names who has decided, also after the end of the run', async () => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: { deny: 'no' } }, 'bob')
    const decidedByBob = { ...conflict, message: expect.stringMatching(/denied by bob at \d{4}-.*Z/) }
    await expect(runs.decide('r1', { apr_a: true })).rejects.toMatchObject(decidedByBob)
    await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
    await expect(runs.decide('r1', { apr_a: true })).rejects.toMatchObject(decidedByBob)
    await expect(runs.decide('r1', { apr_b: true })).rejects.toMatchObject({
      ...conflict,
      message: expect.stringContaining('ended'),
    })
    expect((await runs.read('r1'))?.approvals[1]?.decision).toBeUndefined()
  })

  it('lets one of many decisions win', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    await suspend(runs, 'r1', 'apr_a')
    const attempts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? runs : other.runs).decide('r1', { apr_a: { deny: `${index}` } }),
    )
    const outcomes = await Promise.allSettled(attempts)
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await runs.read('r1'))?.approvals[0]?.decision).toEqual({ deny: `${won}` })
  })

  it('stores all decisions of a call or none', async () => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: true })
    await expect(runs.decide('r1', { apr_b: true, apr_a: true })).rejects.toMatchObject(conflict)
    await expect(runs.decide('r1', { apr_b: true, unknown: true })).rejects.toMatchObject({ code: 'not-found' })
    await expect(runs.decide('unknown', { apr_b: true })).rejects.toMatchObject({ code: 'not-found' })
    expect((await runs.read('r1'))?.record.approvals).toEqual([approval('apr_b')])
  })

  it('accepts no decision on a run that has ended or was replaced', async () => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a')
    await runs.create(key, newRun('r2', { expectedVersion: 2, replaces: 'r1' }))
    await expect(runs.decide('r1', { apr_a: true })).rejects.toMatchObject(conflict)
    await runs.suspend('r2', { attempt: 1, approvals: [approval('apr_b')] })
    await runs.cancel('r2', { status: 'failed', finishReason: 'aborted' })
    await expect(runs.decide('r2', { apr_b: true })).rejects.toMatchObject(conflict)
    expect(await runs.orphans(['helper'])).toEqual([])
  })

  it('carries out one decision while another one is made', async () => {
    const { runs, store } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: true })
    await runs.takeOver('r1', { expectedVersion: await versionOf(store) })
    expect(await runs.decide('r1', { apr_b: true })).toBe('running')
    const stored = await runs.suspend('r1', { attempt: 2, approvals: [approval('apr_b')] })
    expect(stored).toEqual({ apr_b: true })
    // Nothing is open: the run is free, not waiting.
    expect(await runs.read('r1')).toMatchObject({ record: { status: 'running', approvals: [] } })
    expect(await runs.takeOver('r1', { expectedVersion: await versionOf(store) })).toMatchObject({ attempt: 3 })
  })

  it('waits again for what is still open, and only then', async () => {
    const { runs, store } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: true })
    await runs.takeOver('r1', { expectedVersion: await versionOf(store) })
    expect(await runs.suspend('r1', { attempt: 2, approvals: [approval('apr_b')] })).toEqual({})
    expect((await runs.read('r1'))?.record).toMatchObject({ status: 'waiting', approvals: [approval('apr_b')] })
    // An earlier decision continues it no further.
    await expect(runs.takeOver('r1', { expectedVersion: await versionOf(store) })).rejects.toMatchObject(conflict)
    expect(await runs.decide('r1', { apr_b: true })).toBe('running')
  })

  it('waits for what it has requested last only', async () => {
    const { runs, store } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: true })
    await runs.takeOver('r1', { expectedVersion: await versionOf(store) })
    await runs.suspend('r1', { attempt: 2, approvals: [approval('apr_c')] })
    expect((await runs.read('r1'))?.record.approvals).toEqual([approval('apr_c')])
    expect(await runs.decide('r1', { apr_c: true })).toBe('running')
  })

  it('lists the waiting runs of agents whose approvals were requested before a time', async () => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    const requested = Date.now()
    expect(await runs.expired(['other', 'helper'], requested + 1)).toEqual(['r1'])
    expect(await runs.expired(['helper'], requested + 0.5)).toEqual(['r1'])
    expect(await runs.expired(['helper'], requested - 59_999.5)).toEqual([])
    expect(await runs.expired(['other'], requested + 1)).toEqual([])
    expect(await runs.expired(['helper'], requested - 60_000)).toEqual([])
    await runs.decide('r1', { apr_a: true })
    expect(await runs.expired(['helper'], Date.now() + 1)).toEqual(['r1'])
    await runs.decide('r1', { apr_b: true })
    expect(await runs.expired(['helper'], Date.now() + 1)).toEqual([])
  })
}
