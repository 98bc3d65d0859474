import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'

describe.each(storeKinds)('a background run in %s that a newer one of its session interrupts', (kind) => {
  const place = storePlace(kind)

  it('stops at once in its process, so that the newer one begins', async () => {
    const waits = (_: unknown, signal: AbortSignal): Promise<string> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const sessions = place.open()
    const model = scriptedModel([waits, 'Done.'])
    const agent = new Agent({ name: 'Clerk', functions: [], model, sessions, onBusy: 'interrupt' })
    const worker = await agent.work()
    place.afterTest(() => worker.close())
    const asked = { userId: 'ann', sessionId: 's' }
    const first = await agent.enqueue('Wait.', asked)
    // Then it has nothing to write, by which it would learn that it has ended.
    for await (const { type } of agent.follow(first.runId)) if (type === 'step-start') break
    // By this list the worker finds runs that have ended, after some seconds.
    const { runs } = sessions
    if (!runs) throw new Error('The store has runs.')
    const list = runs.list.bind(runs)
    const { promise: mayList, resolve: letList } = Promise.withResolvers<void>()
    place.afterTest(letList)
    Object.assign(runs, { list: (...given: Parameters<typeof list>) => mayList.then(() => list(...given)) })

    const { runId } = await agent.enqueue('Hi.', asked)
    expect(await agent.result(runId)).toMatchObject({ text: 'Done.' })
    expect(await agent.result(first.runId)).toMatchObject({ finishReason: 'aborted' })
  })
})

describe.each(storeKinds)('a run in %s that is interrupted while the store begins it', (kind) => {
  const place = storePlace(kind)

  it('is recorded as aborted, with the reason, where the newer one ends it', async () => {
    const sessions = place.open()
    const { runs } = sessions
    const create = runs.create.bind(runs)
    const { promise: isCreated, resolve: noteCreated } = Promise.withResolvers<void>()
    const { promise: mayReport, resolve: letReport } = Promise.withResolvers<void>()
    place.afterTest(letReport)
    let creations = 0
    Object.assign(runs, {
      async create(...given: Parameters<typeof create>) {
        await create(...given)
        creations++
        if (creations > 1) return
        noteCreated()
        await mayReport
      },
    })
    const model = scriptedModel(['Done.'])
    const agent = new Agent({ name: 'Clerk', functions: [], model, sessions, onBusy: 'interrupt' })
    const asked = { userId: 'ann', sessionId: 's' }
    const first = agent.stream('Wait.', asked)
    const { result } = first
    await isCreated

    expect(await agent.chat('Hi.', asked)).toBe('Done.')
    const message = 'A newer message interrupted the run.'
    expect(await result).toMatchObject({ finishReason: 'aborted', error: { message } })
    const record = (await agent.runs()).find(({ runId }) => runId === first.runId)
    expect(record).toMatchObject({ status: 'failed', finishReason: 'aborted', error: { code: 'aborted', message } })
  })
})
