import { expect, it } from 'vitest'
import { afterCrash, approval, conflict, done, newRun } from '../run-store-contract/runs.ts'
import { answer, key } from '../session-store-contract/turns.ts'
import {
  aloneKey,
  type BackgroundUnderTest,
  enqueue,
  finish,
  type GetBackground,
  queued,
  statusOf,
  takeOver,
} from './background.ts'

/** Runs of members, which workers take like others, and the run that waits for them. */
export function memberTests(getStores: GetBackground): void {
  it('lets a run wait for its members, which workers run meanwhile', async () => {
    const stores = getStores()
    const { store, runs, background } = stores
    await enqueue(stores, queued('r1', { priority: 2 }), queued('r2'))
    await takeOver(stores, 'r1')
    const entry = { attempt: 1, position: 1, messages: [answer('I ask.')], progress: { step: 1 } }
    await background.delegate('r1', { ...entry, members: [member('r1/a'), member('r1/b')] })
    const child = await runs.read('r1/a')
    expect(child).toMatchObject({
      ...{ isBackground: true, isResumable: true, keepsEvents: true, attempt: 0, rootRunId: 'r1', priority: 2 },
      ...{ key: member('r1/a').key, options: { input: 'r1/a' } },
    })
    expect(child?.record).toMatchObject({ status: 'queued', agentId: 'helper', userId: 'ann', parentRunId: 'r1' })
    expect(child?.record.sessionId).toBeUndefined()
    const parent = await runs.read('r1')
    expect(parent).toMatchObject({
      attempt: 1,
      awaitsMembers: true,
      progress: { step: 1 },
      record: { status: 'running' },
    })
    expect(parent?.isFree).toBeFalsy()
    expect((await store.find('r1'))?.messages).toHaveLength(2)
    // The waiting run keeps its session.
    const busy = { ...conflict, retryable: true }
    await expect(takeOver(stores, 'r2')).rejects.toMatchObject(busy)
    await expect(runs.create(key, newRun('direct', { expectedVersion: 1 }))).rejects.toMatchObject(busy)
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject({ ...conflict, retryable: false })
    await expect(runs.append('r1', { attempt: 1, messages: [answer('late')] })).rejects.toMatchObject(conflict)

    await begin(stores, 'r1/a')
    await begin(stores, 'r1/b')
    await finish(runs, 'r1/a')
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject(conflict)
    await runs.end('r1/b', { attempt: 1, status: 'failed', finishReason: 'error' })
    const free = await runs.read('r1')
    expect(free).toMatchObject({ isFree: true, attempt: 1 })
    expect(free?.awaitsMembers).toBeFalsy()
    expect(await takeOver(stores, 'r1')).toMatchObject({ attempt: 2, takeovers: 0 })
    await finish(runs, 'r1', 2)
    await takeOver(stores, 'r2')
  })

  it('retries a failed member while its caller runs, and not once that has ended', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 1, members: [member('r1/a')] })
    await begin(stores, 'r1/a')
    await runs.end('r1/a', { attempt: 1, status: 'failed', finishReason: 'error' })
    await takeOver(stores, 'r1')
    await background.retry('r1/a')
    expect(await statusOf(runs, 'r1/a')).toBe('queued')
    await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
    expect(await statusOf(runs, 'r1/a')).toBe('failed')
    await expect(background.retry('r1/a')).rejects.toMatchObject({ ...conflict, retryable: false })
    expect(await background.unfinished(['helper'], { limit: 10 })).toEqual([])
    await background.retry('r1')
    await takeOver(stores, 'r1')
    await background.retry('r1/a')
    expect(await statusOf(runs, 'r1/a')).toBe('queued')
  })

  it('is free when the last member waits for approval, and waits again when it is delegated again', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const members = await delegate(stores, 'r1', 'a', 'b')
    await begin(stores, 'r1/a')
    await begin(stores, 'r1/b')
    await finish(runs, 'r1/b')
    await runs.suspend('r1/a', { attempt: 1, approvals: [approval('a1')] })
    expect(await runs.read('r1')).toMatchObject({ isFree: true })
    await takeOver(stores, 'r1')
    await runs.suspend('r1', { attempt: 2, approvals: [approval('a1')] })
    await runs.decide('r1/a', { a1: true })
    await runs.decide('r1', { a1: true })
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 3, members })
    expect((await runs.read('r1'))?.isFree).toBeFalsy()
    expect(await begin(stores, 'r1/a')).toMatchObject({ attempt: 2 })
    await finish(runs, 'r1/a', 2)
    expect(await runs.read('r1')).toMatchObject({ isFree: true })
  })

  it('is free at once when all members have ended', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const members = await delegate(stores, 'r1', 'a')
    await begin(stores, 'r1/a')
    await finish(runs, 'r1/a')
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 2, members })
    expect(await runs.read('r1')).toMatchObject({ isFree: true })
    // No member: nothing to wait for.
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 3, members: [] })
    expect(await runs.read('r1')).toMatchObject({ isFree: true })
  })

  it('creates a member once, and no member of another run', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const members = await delegate(stores, 'r1', 'a')
    await enqueue(stores, queued('r2', { key: { ...key, sessionId: 's2' } }))
    await takeOver(stores, 'r2', { ...key, sessionId: 's2' })
    await expect(background.delegate('r2', { attempt: 1, members })).rejects.toMatchObject(conflict)
    await expect(background.delegate('r2', { attempt: 9, members: [] })).rejects.toMatchObject(conflict)
    expect(await runs.read('r2')).toMatchObject({ attempt: 1, record: { status: 'running' } })
    await runs.append('r2', { attempt: 1, messages: [answer('still running')] })
  })

  it('lets another process continue a lost member, and its caller after it', async () => {
    const stores = getStores()
    await delegate(stores, 'r1', 'a')
    await begin(stores, 'r1/a')
    const other = { ...stores, ...(await afterCrash(stores)) }
    expect(await other.runs.background?.unfinished(['helper'], { limit: 10 })).toMatchObject([{ runId: 'r1/a' }])
    expect(await begin(other, 'r1/a')).toMatchObject({ attempt: 2, takeovers: 1 })
    await finish(other.runs, 'r1/a', 2)
    expect(await takeOver(other, 'r1')).toMatchObject({ attempt: 2, takeovers: 0 })
  })

  it.each(['cancel', 'end', 'replace', 'interrupt'])(
    'ends open members, and theirs, with their caller (%s)',
    async (how) => {
      const stores = getStores()
      const { runs, background } = stores
      await delegate(stores, 'r1', 'a', 'b', 'c')
      await begin(stores, 'r1/a')
      await background.delegate('r1/a', { attempt: 1, members: [member('r1/a/x')] })
      expect((await runs.read('r1/a/x'))?.rootRunId).toBe('r1')
      expect((await runs.read('r1/a/x'))?.record.parentRunId).toBe('r1/a')
      await begin(stores, 'r1/c')
      await finish(runs, 'r1/c')
      const aborted = { status: 'failed', finishReason: 'aborted' } as const
      if (how === 'cancel') await runs.cancel('r1', aborted)
      if (how === 'replace') await enqueue(stores, queued('r2', { replaces: 'r1' }))
      if (how === 'interrupt') await enqueue(stores, queued('r2', { onBusy: 'interrupt' }))
      if (how === 'end') {
        await begin(stores, 'r1/b')
        await finish(runs, 'r1/b')
        await runs.cancel('r1/a', aborted)
        expect(await statusOf(runs, 'r1/a/x')).toBe('failed')
        await takeOver(stores, 'r1')
        await finish(runs, 'r1', 2)
      }
      for (const runId of ['r1/a', 'r1/a/x']) {
        expect((await runs.read(runId))?.record).toMatchObject({ status: 'failed', finishReason: 'aborted' })
      }
      expect(await statusOf(runs, 'r1/c')).toBe('done')
      expect(await statusOf(runs, 'r1/b')).toBe(how === 'end' ? 'done' : 'failed')
      expect(
        (await background.unfinished(undefined, { limit: 10 })).filter(({ runId }) => runId.startsWith('r1')),
      ).toEqual([])
    },
  )

  it('ends members that run when their caller ends before them', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await delegate(stores, 'r1', 'a')
    await begin(stores, 'r1/a')
    await runs.suspend('r1/a', { attempt: 1, approvals: [approval('a1')] })
    await takeOver(stores, 'r1')
    await finish(runs, 'r1', 2)
    expect((await runs.read('r1/a'))?.record).toMatchObject({ status: 'failed', error: { code: 'aborted' } })
    expect(await background.unfinished(undefined, { limit: 10 })).toEqual([])
  })

  it('deletes members with the session of their root, and shows no members in lists and the expired', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await delegate(stores, 'r1', 'a')
    await begin(stores, 'r1/a')
    await runs.suspend('r1/a', { attempt: 1, approvals: [approval('a1')] })
    expect(await runs.list({ agentId: 'helper' }, { limit: 10 })).toMatchObject([{ runId: 'r1' }])
    expect(await runs.list({ agentId: 'helper' }, { status: 'waiting', limit: 10 })).toEqual([])
    expect(await runs.expired(['helper'], runs.now() + 60_000)).toEqual([])
    const used = await runs.usage?.({ agentId: 'helper' }, { by: 'day', runs: 10, limit: 10 })
    if (used) expect(used).toMatchObject([{ runs: 1 }])
    await store.delete(key)
    for (const runId of ['r1', 'r1/a']) expect(await runs.read(runId)).toBeUndefined()
    expect(await store.load(member('r1/a').key)).toBeUndefined()
  })

  it('removes members in the retention with their root, and never open ones', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await enqueue(stores, queued('waits', { key: { ...key, sessionId: 's2' } }))
    await delegate(stores, 'r1', 'a')
    await begin(stores, 'r1/a')
    await finish(runs, 'r1/a')
    await stores.moveTime(3_600_000)
    expect(await runs.prune({ sessionsMs: 60_000 })).toMatchObject({ sessions: 0, runs: 0 })
    expect(await statusOf(runs, 'r1/a')).toBe('done')
    await takeOver(stores, 'r1')
    await finish(runs, 'r1', 2)
    await stores.moveTime(3_600_000)
    expect(await runs.prune({ sessionsMs: 60_000 })).toMatchObject({ sessions: 1, runs: 1 })
    for (const runId of ['r1', 'r1/a']) expect(await runs.read(runId)).toBeUndefined()
    expect(await store.load(member('r1/a').key)).toBeUndefined()
    expect(await statusOf(runs, 'waits')).toBe('queued')
  })

  it('refuses to delegate for a direct run', async () => {
    const { runs, background } = getStores()
    await runs.create(key, newRun('r1'))
    await expect(background.delegate('r1', { attempt: 1, members: [member('r1/a')] })).rejects.toMatchObject(conflict)
    await runs.end('r1', { attempt: 1, ...done })
  })

  it('shares a budget between the runs of a tree, by version', async () => {
    const stores = getStores()
    const { store, background } = stores
    await enqueue(stores, queued('r1'))
    expect(await background.sharedBudget('r1')).toBeUndefined()
    expect(await background.setSharedBudget('r1', 1, { used: 1 })).toBe(false)
    expect(await background.setSharedBudget('r1', 0, { used: 1 })).toBe(true)
    expect(await background.setSharedBudget('r1', 0, { used: 2 })).toBe(false)
    const first = await background.sharedBudget('r1')
    expect(first?.value).toEqual({ used: 1 })
    const version = first?.version ?? 0
    const others = [2, 3, 4].map((used) => background.setSharedBudget('r1', version, { used }))
    expect((await Promise.all(others)).filter(Boolean)).toHaveLength(1)
    expect((await background.sharedBudget('r1'))?.version).toBeGreaterThan(version)
    expect(await background.sharedBudget('unknown')).toBeUndefined()
    await store.delete(key)
    expect(await background.sharedBudget('r1')).toBeUndefined()
  })
}

function member(runId: string) {
  return { runId, key: { ...aloneKey(runId), agentId: 'helper:member' }, options: { input: runId } }
}

/** A run that has begun and waits for these members. */
async function delegate(stores: BackgroundUnderTest, runId: string, ...names: string[]) {
  const members = names.map((name) => member(`${runId}/${name}`))
  await enqueue(stores, queued(runId))
  await takeOver(stores, runId)
  await stores.background.delegate(runId, { attempt: 1, members })
  return members
}

function begin(stores: Pick<BackgroundUnderTest, 'store' | 'runs'>, runId: string) {
  return takeOver(stores, runId, member(runId).key)
}
