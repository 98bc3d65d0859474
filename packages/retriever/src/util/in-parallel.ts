/**
 * Does the work for each item, a few at a time. The first failure ends the others, and is thrown when none is under
 * way any more.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  width: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const queue = items[Symbol.iterator]()
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    try {
      for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value, ended)
    } catch (error) {
      failures.push(error)
      stop.abort()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  if (failures.length > 0) throw failures[0]
}

/** Slices of so many. */
export function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
