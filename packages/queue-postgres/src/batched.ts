/**
 * A function that does the work for one item: at once, or together with others after the work that it waits for.
 * @returns its promise is rejected for each of the items that were tried together
 */
export function batched<Item>(work: (items: readonly Item[]) => Promise<unknown>): (item: Item) => Promise<void> {
  let waiting: Item[] = []
  let next: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()
  const start = async (): Promise<void> => {
    const items = waiting
    waiting = []
    next = undefined
    await work(items)
  }
  return (item) => {
    waiting.push(item)
    next ??= last.then(start, start)
    last = next
    return next
  }
}
