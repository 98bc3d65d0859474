import { expect, it } from 'vitest'
import { key } from '../session-store-contract/turns.ts'
import { afterCrash, type GetRuns, newRun } from './runs.ts'

const request = { scope: 'helper ann POST /chat', key: 'k1', fingerprint: 'f1' }

/** Answers to requests that are sent again. */
export function answerTests(getRuns: GetRuns): void {
  it('reserves a key for one request, and returns its answer to the next ones', async () => {
    const { answers } = getRuns().runs
    expect(await answers.reserve(request)).toBeUndefined()
    expect(await answers.reserve(request)).toEqual({ fingerprint: 'f1' })
    // The fingerprints differ, which the caller has to detect.
    expect(await answers.reserve({ ...request, fingerprint: 'f2' })).toEqual({ fingerprint: 'f1' })
    await answers.store(request, { runId: 'r1' })
    expect(await answers.reserve(request)).toEqual({ fingerprint: 'f1', runId: 'r1' })
    await answers.store(request, { status: 200, body: '{"é":1}', type: 'application/json' })
    const answer = { fingerprint: 'f1', runId: 'r1', status: 200, body: '{"é":1}', type: 'application/json' }
    expect(await answers.reserve(request)).toEqual(answer)
    expect(await answers.reserve({ ...request, scope: 'helper bob POST /chat' })).toBeUndefined()
    expect(await answers.reserve({ ...request, key: 'k2' })).toBeUndefined()
  })

  it('lets one of many equal requests be new', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    const attempts = Array.from({ length: 20 }, (_, index) => (index % 2 ? runs : other.runs).answers.reserve(request))
    expect((await Promise.all(attempts)).filter((known) => known === undefined)).toHaveLength(1)
  })

  it('frees the key of a request whose answer is not kept', async () => {
    const { answers } = getRuns().runs
    await answers.reserve(request)
    await answers.forget({ ...request, fingerprint: 'other' })
    expect(await answers.reserve(request)).toEqual({ fingerprint: 'f1' })
    await answers.forget(request)
    expect(await answers.reserve(request)).toBeUndefined()
  })

  it('frees no key that another process has reserved', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    await runs.answers.reserve(request)
    await other.runs.answers.forget(request)
    expect(await other.runs.answers.reserve(request)).toEqual({ fingerprint: 'f1' })
  })

  it('forgets a request whose process died before its run began', async () => {
    const { answers } = getRuns().runs
    await answers.reserve(request)
    await answers.store(request, { runId: 'never begun' })
    const other = await afterCrash(getRuns())
    expect(await other.runs.answers.reserve({ ...request, fingerprint: 'f2' })).toBeUndefined()
    expect(await other.runs.answers.reserve(request)).toEqual({ fingerprint: 'f2' })
  })

  it('keeps the key of a run that has begun when its process dies', async () => {
    const { runs } = getRuns()
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId: 'r1' })
    await runs.create(key, newRun('r1'))
    const other = await afterCrash(getRuns())
    expect(await other.runs.answers.reserve(request)).toEqual({ fingerprint: 'f1', runId: 'r1' })
  })

  it('keeps an answer when the process dies', async () => {
    const { answers } = getRuns().runs
    await answers.reserve(request)
    await answers.store(request, { status: 404, body: 'none', type: 'text/plain' })
    const other = await afterCrash(getRuns())
    expect(await other.runs.answers.reserve(request)).toMatchObject({ status: 404, body: 'none' })
  })

  it('deletes the answers of a run with its session, also those that are stored afterwards', async () => {
    const { runs, store } = getRuns()
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId: 'r1' })
    await runs.create(key, newRun('r1'))
    await store.delete(key)
    await runs.answers.store(request, { status: 200, body: 'late' })
    expect(await runs.answers.reserve(request)).toBeUndefined()
  })
}
