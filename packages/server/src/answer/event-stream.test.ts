import type { AgentRun } from '@agentkit/core'
import { expect, it } from 'vitest'
import { fakeAgent, text } from '../__fixtures__/fake-agent.ts'
import { eventStream } from './event-stream.ts'
import { ProblemError } from './problem.ts'

const options = { limits: { heartbeatMs: 60_000, stalledMs: 60_000 }, onFailure() {}, dropClient() {} }

it('is finished when its run has settled, not when the events have ended', async () => {
  const run = fakeAgent([text('Hi')]).stream('Hello')
  const { promise, resolve } = Promise.withResolvers<void>()
  const settling: AgentRun = Object.create(run, { result: { get: () => promise.then(() => run.result) } })
  const stream = eventStream(Promise.resolve(settling), options)
  let finished = false
  const end = stream.finished.then(() => {
    finished = true
  })
  expect(await new Response(stream.body).text()).toContain('run-end')
  expect(finished).toBe(false)
  resolve()
  await end
})

it('decides on the problem of a run that gets no place', async () => {
  const problem = new ProblemError('overloaded')
  const stream = eventStream(Promise.reject(problem), options)
  expect(await stream.decided).toBe(problem)
  await stream.body.cancel()
  await stream.finished
})

it('ends with a run-end when a run gets no place after the stream has begun', async () => {
  const { promise, reject } = Promise.withResolvers<AgentRun>()
  const stream = eventStream(promise, { ...options, limits: { heartbeatMs: 1, stalledMs: 60_000 } })
  expect(await stream.decided).toBeUndefined()
  reject(new ProblemError('overloaded'))
  expect(await new Response(stream.body).text()).toMatch(/event: run-end\n.*"code":"overloaded"/s)
})
