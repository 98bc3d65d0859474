import { setImmediate as nextTurn } from 'node:timers/promises'

/** A generator that never waits would otherwise block the event loop, and with it the timers that end the call. */
const valuesPerTurn = 256

/**
 * The last value of an iterable, which is the result of a tool that yields preliminary ones.
 * @throws the signal's reason; the generator is then closed at its next value
 */
export async function lastValue(values: AsyncIterable<unknown>, signal: AbortSignal): Promise<unknown> {
  let last: unknown
  let count = 0
  for await (const value of values) {
    signal.throwIfAborted()
    last = value
    if (++count % valuesPerTurn === 0) await nextTurn()
  }
  return last
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
