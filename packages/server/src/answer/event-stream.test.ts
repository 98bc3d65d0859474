import type { AgentRun } from '@agentkit/core'
import { expect, it } from 'vitest'
import { eventStream, webStream } from './event-stream.ts'
import { liveEvents } from './live-events.ts'
import { ProblemError } from './problem.ts'

const options = { limits: { heartbeatMs: 60_000, stalledMs: 60_000 }, onFailure() {}, dropClient() {} }

it('decides on the problem of a run that gets no place', async () => {
  const problem = new ProblemError('overloaded')
  const stream = eventStream(liveEvents(Promise.reject(problem)), options)
  expect(await stream.decided).toBe(problem)
  stream.leave()
})

it('ends with a run-end when a run gets no place after the stream has begun', async () => {
  const { promise, reject } = Promise.withResolvers<AgentRun>()
  const stream = eventStream(liveEvents(promise), { ...options, limits: { heartbeatMs: 1, stalledMs: 60_000 } })
  expect(await stream.decided).toBeUndefined()
  reject(new ProblemError('overloaded'))
  expect(await new Response(webStream(stream)).text()).toMatch(/event: run-end\n.*"code":"overloaded"/s)
})
