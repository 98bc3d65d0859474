/**
 * Runs the work for each item, several at a time. The first failure stops the others, and is thrown when all have
 * settled.
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

/** Splits items into slices of a given size. */
export function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
