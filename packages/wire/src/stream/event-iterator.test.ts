import { describe, expect, it } from 'vitest'
import { callee, collect, errorOf, timeouts } from '../__fixtures__/streams.ts'
import { CallWatch } from './call-watch.ts'
import { EventIterator } from './stream-model.ts'

type Controlled = { watch: CallWatch; events: EventIterator<number>; left: () => boolean }

/** An iterator over these batches; `wait` holds it up until the call is cancelled. */
function iterate(...batches: (number[] | Error | 'wait')[]): Controlled {
  const watch = new CallWatch(new AbortController().signal, timeouts, callee)
  let left = false
  async function* generate(): AsyncGenerator<number[], void> {
    try {
      for (const batch of batches) {
        if (batch instanceof Error) throw batch
        if (batch === 'wait') await watch.race(new Promise(() => {}))
        else yield batch
        if (watch.failure) throw watch.failure
      }
    } finally {
      left = true
    }
  }
  return { watch, events: new EventIterator(generate(), watch), left: () => left }
}

describe('EventIterator', () => {
  it('hands out the events of all batches in order, and then ends for good', async () => {
    const { events } = iterate([1, 2], [3], [4, 5])
    expect(await collect(events)).toEqual([1, 2, 3, 4, 5])
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('tells which event has come already', async () => {
    const { events } = iterate([1, 2], [3])
    expect(events.ready()).toBeUndefined()
    expect(await events.next()).toEqual({ done: false, value: 1 })
    expect([events.ready(), events.ready()]).toEqual([2, undefined])
    expect(await events.next()).toEqual({ done: false, value: 3 })
  })

  it('answers who asks before the last answer in order', async () => {
    const { events } = iterate([1, 2], [3])
    const answers = await Promise.all([events.next(), events.next(), events.next(), events.next()])
    expect(answers.map(({ value }) => value)).toEqual([1, 2, 3, undefined])
  })

  it('fails once, with what had come before', async () => {
    const { events } = iterate([1], new Error('boom'))
    expect(await events.next()).toEqual({ done: false, value: 1 })
    const [failed, after] = await Promise.allSettled([events.next(), events.next()])
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'boom' } })
    expect(after).toMatchObject({ status: 'fulfilled', value: { done: true } })
  })

  it('does not tell what is waiting when the call has ended', async () => {
    const { events, watch } = iterate([1, 2], 'wait')
    await events.next()
    watch.cancel()
    expect(events.ready()).toBeUndefined()
    expect(await errorOf(events.next())).toMatchObject({ code: 'aborted' })
  })

  it('lets its generator clean up when its reader leaves', async () => {
    const { events, left } = iterate([1, 2], [3])
    for await (const _event of events) break
    expect(left()).toBe(true)
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('cancels the read that is pending when its reader leaves', async () => {
    const { events, left, watch } = iterate('wait')
    const pending = errorOf(events.next())
    await events.return()
    expect(await pending).toMatchObject({ code: 'aborted' })
    expect([left(), watch.signal.aborted]).toEqual([true, true])
  })
})
