import { afterThisTurn } from './after-this-turn.ts'

/** Reads that will begin in this turn of the event loop. */
const scheduled = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Reads once for all callers with one key that ask before the read begins, which is after this turn of the event loop. So
 * each of them sees what was stored before its call. All but the first receive a copy.
 */
export function shareRead<Value>(owner: object, key: string, read: () => Promise<Value>): Promise<Value> {
  const reads = scheduled.get(owner) ?? new Map<string, Promise<unknown>>()
  scheduled.set(owner, reads)
  // The cast holds: all readers of a key read the same value.
  const known = reads.get(key) as Promise<Value> | undefined
  if (known !== undefined) return known.then((value) => structuredClone(value))
  const begun = new Promise<void>((resolve) => afterThisTurn(resolve)).then(() => {
    reads.delete(key)
    return read()
  })
  reads.set(key, begun)
  return begun
}
