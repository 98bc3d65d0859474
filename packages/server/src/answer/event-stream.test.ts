import type { AgentRun } from '@agentkit/core'
import { afterEach, expect, it, vi } from 'vitest'
import { type EventSource, EventStream, webStream } from './event-stream.ts'
import { liveEvents } from './live-events.ts'
import { ProblemError } from './problem.ts'

afterEach(() => void vi.useRealTimers())

const options = { limits: { heartbeatMs: 60_000, stalledMs: 60_000 }, onFailure() {}, dropClient() {} }

it('decides on the problem of a run that gets no place', async () => {
  const problem = new ProblemError('overloaded')
  const stream = new EventStream(liveEvents(Promise.reject(problem)), options)
  expect(await stream.decided).toBe(problem)
  stream.leave()
})

it('ends with a run-end when a run gets no place after the stream has begun', async () => {
  const { promise, reject } = Promise.withResolvers<AgentRun>()
  const stream = new EventStream(liveEvents(promise), { ...options, limits: { heartbeatMs: 1, stalledMs: 60_000 } })
  expect(await stream.decided).toBeUndefined()
  reject(new ProblemError('overloaded'))
  expect(await new Response(webStream(stream)).text()).toMatch(/event: run-end\n.*"code":"overloaded"/s)
})

it('keeps a client that reads all of several events in time, each more than may be unread', async () => {
  vi.useFakeTimers()
  const dropClient = vi.fn()
  const read = Promise.withResolvers<void>()
  const sent: unknown[] = []
  const source: EventSource = {
    async read(send) {
      const long = 'x'.repeat(300_000)
      const followed = { beginsAnswer: true, isFollowed: true }
      sent.push(...(await Promise.all([send(long, followed), send(long, followed)])))
      await read.promise
    },
    leave() {},
  }
  const stream = new EventStream(source, { ...options, dropClient })
  const text = stream.next()
  await vi.advanceTimersByTimeAsync(1)
  expect((await text)?.length).toBeGreaterThan(600_000)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(sent).toHaveLength(2)
  expect(dropClient).not.toHaveBeenCalled()
  read.resolve()
  stream.leave()
})
