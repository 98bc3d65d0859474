import { expect, it } from 'vitest'
import { answer, begin, calls, key, load, result, user } from '../session-store-contract/turns.ts'
import { afterCrash, conflict, done, type GetRuns, newRun, retryable, suspend, versionOf } from './runs.ts'

/** Lost and released runs, and who continues them. */
export function takeoverTests(getRuns: GetRuns): void {
  it('keeps the session of a lost run that is resumable, and lets another process continue it', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1'))
    await runs.append('r1', { attempt: 1, messages: [calls('a'), result('a')], progress: { step: 1 } })
    const other = await afterCrash(getRuns())
    expect(await load(other.store, key)).toEqual({ version: 1, messages: [] })
    await expect(begin(other.store, key, 'r2', 1)).rejects.toMatchObject(retryable)
    const next = newRun('r2', { expectedVersion: 1 })
    await expect(other.runs.create(key, next)).rejects.toMatchObject(retryable)
    expect(await other.store.list(key)).toMatchObject([{ activeRunId: 'r1' }])
    const lost = { runId: 'r1', agentId: 'helper', isLost: true, isResumable: true, takeovers: 0 }
    expect(await other.runs.orphans(['other', 'helper'])).toEqual([lost])
    expect(await other.runs.orphans(['other'])).toEqual([])

    const taken = await other.runs.takeOver('r1', { expectedVersion: 0 })
    expect(taken).toMatchObject({ attempt: 2, takeovers: 1, progress: { step: 1 } })
    expect(taken.record).toMatchObject({ status: 'running', attempts: 2 })
    expect(await other.runs.orphans(['helper'])).toEqual([])
    expect(await versionOf(other.store)).toBe(1)
    await other.runs.append('r1', { attempt: 2, position: 3, messages: [answer('1')] })
    // The run has finished a step, so its takeovers are counted from 0 again.
    expect(await other.runs.read('r1')).toMatchObject({ takeovers: 0, attempt: 2 })
    await expect(other.runs.append('r1', { attempt: 1, messages: [answer('late')] })).rejects.toMatchObject(conflict)
    // An entry with nothing in it is how a process asks whether it still has the run.
    await expect(other.runs.append('r1', { attempt: 1 })).rejects.toMatchObject(conflict)
    await other.runs.append('r1', { attempt: 2 })
    await other.runs.end('r1', { attempt: 2, ...done })
    expect((await load(other.store, key)).messages).toEqual([user('r1'), calls('a'), result('a'), answer('1')])
  })

  it('settles a lost run that is not resumable as failed', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1', { isResumable: false }))
    const other = await afterCrash(getRuns())
    expect(await other.runs.orphans(['helper'])).toMatchObject([{ runId: 'r1', isLost: true, isResumable: false }])
    expect(await load(other.store, key)).toEqual({ version: 2, messages: [] })
    const record = (await other.runs.read('r1'))?.record
    expect(record).toMatchObject({ status: 'failed', finishReason: 'error', error: { code: 'crashed' } })
    expect(record?.endedAt).toBeDefined()
    await other.runs.create(key, newRun('r2', { expectedVersion: 2 }))
  })

  it('settles it in `create` too, when the version has moved', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1', { isResumable: false }))
    const other = await afterCrash(getRuns())
    await expect(other.runs.create(key, newRun('r2', { expectedVersion: 1 }))).rejects.toMatchObject(retryable)
    await other.runs.create(key, newRun('r2', { expectedVersion: 2 }))
  })

  it('counts the takeovers of a run that finishes no step', async () => {
    const { runs, open } = getRuns()
    await runs.create(key, newRun('r1'))
    let process = await afterCrash(getRuns())
    for (const attempt of [2, 3, 4]) {
      const taken = await process.runs.takeOver('r1', { expectedVersion: 0 })
      expect(taken).toMatchObject({ attempt, takeovers: attempt - 1 })
      await process.runs.append('r1', { attempt, calls: [{ callId: 'a', name: 'echo', startedAt: 1 }], usage: {} })
      const next = await open()
      await process.store.close()
      process = next
    }
    expect(await process.runs.orphans(['helper'])).toMatchObject([{ takeovers: 3 }])
  })

  it('frees a released run at once, which keeps its session and counts as no crash', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    await runs.create(key, newRun('r1'))
    await expect(other.runs.takeOver('r1', { expectedVersion: 1 })).rejects.toMatchObject(conflict)
    await runs.release('r1', 1)
    await expect(runs.append('r1', { attempt: 1, messages: [answer('late')] })).rejects.toMatchObject(conflict)
    expect(await other.runs.orphans(['helper'])).toMatchObject([{ runId: 'r1', isLost: false }])
    await expect(begin(other.store, key, 'r2', 1)).rejects.toMatchObject(retryable)
    expect(await other.runs.takeOver('r1', { expectedVersion: 0 })).toMatchObject({ attempt: 2, takeovers: 0 })
    await other.runs.end('r1', { attempt: 2, ...done })
  })

  it('lets no process release or suspend the run of another one', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    await runs.create(key, newRun('r1'))
    await expect(other.runs.release('r1', 1)).rejects.toMatchObject(conflict)
    await expect(other.runs.suspend('r1', { attempt: 1, approvals: [] })).rejects.toMatchObject(conflict)
    await runs.append('r1', { attempt: 1, messages: [answer('mine')] })
    await runs.release('r1', 1)
  })

  it('finds a released run among any number of lost ones, which no server may have ended', async () => {
    const { runs } = getRuns()
    const ofUser = (userId: string) => ({ ...key, userId })
    for (let number = 0; number < 100; number++) {
      await runs.create(ofUser(`user-${number}`), newRun(`lost-${number}`, { isResumable: false }))
    }
    const other = await afterCrash(getRuns())
    await other.runs.create(key, newRun('r1'))
    await other.runs.release('r1', 1)
    const found = await other.runs.orphans(['helper'])
    expect(found.slice(0, 2)).toMatchObject([
      { runId: 'r1', isLost: false },
      { runId: 'lost-0', isLost: true },
    ])
    expect(found).toHaveLength(100)
  })

  it('lets one of many take a run over', async () => {
    const { runs, open } = getRuns()
    const others = await Promise.all([open(), open(), open()])
    await runs.create(key, newRun('r1'))
    await runs.release('r1', 1)
    const attempts = [...others, ...others].map((other) => other.runs.takeOver('r1', { expectedVersion: 1 }))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(conflict)
    expect(await runs.read('r1')).toMatchObject({ attempt: 2 })
  })

  it('refuses to take over what is running, undecided, ended or unknown', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1'))
    await expect(runs.takeOver('r1', { expectedVersion: 1 })).rejects.toMatchObject(conflict)
    await runs.end('r1', { attempt: 1, ...done })
    await expect(runs.takeOver('r1', { expectedVersion: 2 })).rejects.toMatchObject(conflict)
    const session = { ...key, sessionId: 's2' }
    await runs.create(session, newRun('r2'))
    await runs.suspend('r2', { attempt: 1, approvals: [] })
    await expect(runs.takeOver('unknown', { expectedVersion: 0 })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('lets a decided run wait for its session, at the version that it saw', async () => {
    const { runs, store } = getRuns()
    await suspend(runs, 'r1', 'apr_a')
    await runs.create(key, newRun('r2', { expectedVersion: 2 }))
    await runs.decide('r1', { apr_a: true })
    // The session is held by another run, which the free one does not disturb.
    await expect(runs.takeOver('r1', { expectedVersion: 3 })).rejects.toMatchObject(retryable)
    await runs.append('r2', { attempt: 1, messages: [answer('2')] })
    await runs.end('r2', { attempt: 1, ...done })
    await expect(runs.takeOver('r1', { expectedVersion: 3 })).rejects.toMatchObject(retryable)
    expect(await runs.takeOver('r1', { expectedVersion: 4 })).toMatchObject({ attempt: 2, takeovers: 0 })
    expect(await versionOf(store)).toBe(5)
    await expect(begin(store, key, 'r3', 5)).rejects.toMatchObject(retryable)
  })

  it('lets a decided run take the session of a lost one that is not resumable', async () => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a')
    await runs.decide('r1', { apr_a: true })
    await runs.create(key, newRun('r2', { expectedVersion: 2, isResumable: false }))
    const other = await afterCrash(getRuns())
    await expect(other.runs.takeOver('r1', { expectedVersion: 3 })).rejects.toMatchObject(retryable)
    expect((await other.store.find('r2'))?.status).toBe('failed')
    expect(await other.runs.takeOver('r1', { expectedVersion: 4 })).toMatchObject({ attempt: 2 })
  })
}
