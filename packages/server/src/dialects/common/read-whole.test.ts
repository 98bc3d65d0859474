import { expect, it } from 'vitest'
import type { EventSource } from '../../answer/event-stream.ts'
import { ProblemError } from '../../answer/problem.ts'
import { readWhole } from './read-whole.ts'

/** A run that continues until its reader leaves. */
function endless(): EventSource {
  const left = Promise.withResolvers<void>()
  return { read: () => left.promise, leave: () => left.resolve() }
}

it('does not wait for a client that has left, also before the run is read', async () => {
  await readWhole(endless(), AbortSignal.abort())
  const client = new AbortController()
  const reading = readWhole(endless(), client.signal)
  client.abort()
  await reading
})

it('throws the problem of a run that fails', async () => {
  const problem = new ProblemError('overloaded')
  const failing: EventSource = {
    async read(send) {
      await send('', { beginsAnswer: false, failure: problem })
    },
    leave() {},
  }
  await expect(readWhole(failing, new AbortController().signal)).rejects.toBe(problem)
})
