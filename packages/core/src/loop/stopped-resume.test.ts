import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { calls, idOf, type Payer, payer, session, sessionKey } from '../__fixtures__/payer.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { within100ms } from '../__fixtures__/stopped-run.ts'
import type { Decisions, SessionStore } from '../index.ts'

refuseUnhandledRejections()

describe('a suspended run that is stopped as soon as it is resumed', () => {
  it('settles, though its store hangs', async () => {
    const first = await movedPayer()
    const store: SessionStore = { ...first.store, append: () => new Promise(() => {}) }
    const controller = new AbortController()
    const run = payer([], { store }).agent.resume(first.runId, approval(first.runId), {
      signal: controller.signal,
    }).result
    await sleep(20)
    controller.abort()
    expect(await within100ms(run)).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted' } })
  })

  it('stays suspended with its snapshot, though it was storing something', async () => {
    const first = await movedPayer()
    const controller = new AbortController()
    let appends = 0
    const store: SessionStore = {
      ...first.store,
      async append(...values) {
        if (++appends === 1) {
          controller.abort()
          await sleep(5)
        }
        return first.store.append(...values)
      },
      async end(...values) {
        await sleep(7)
        return first.store.end(...values)
      },
    }
    const run = payer([], { store }).agent.resume(first.runId, approval(first.runId), {
      signal: controller.signal,
    }).result
    expect(await run).toMatchObject({ finishReason: 'aborted' })
    await sleep(20)
    const second = payer(['Paid.'], { store: { ...first.store }, done: first.done })
    expect(await second.agent.resume(first.runId, approval(first.runId)).result).toMatchObject({
      finishReason: 'stop',
      text: 'Paid.',
    })
    expect(first.done).toEqual(['pay 1'])
  })
})

it('cannot be resumed when its snapshot is not stored, and does not hold its session', async () => {
  const { store, runId } = await movedPayer()
  const { version = 0 } = (await store.load(sessionKey)) ?? {}
  await store.begin(sessionKey, { runId, expectedVersion: version, input: [] })
  await store.append(runId, [], { '@agentkit/waiting': { agentId: 'payer', userId: 'ann', sessionId: 's', seeded: 0 } })
  await store.end(runId, 'waiting')
  const { agent } = payer(['Here.'], { store })
  expect(await agent.resume(runId, approval(runId)).result).toMatchObject({ error: { code: 'not-found' } })
  expect(await agent.chat('Are you there?', { ...session, timeoutMs: 2_000 })).toBe('Here.')
})

const approval = (runId: string): Decisions => ({ [idOf(runId, '1-pay1')]: true })

/** A run waits, and another one has added to its session since: it stores that first when it continues. */
async function movedPayer(): Promise<Payer & { runId: string }> {
  const first = payer([calls('pay 1'), 'Hello.'])
  const { runId } = await first.agent.stream('Pay', session).result
  await first.agent.chat('Hi', session)
  return { ...first, runId }
}
