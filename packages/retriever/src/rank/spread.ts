/** In this many consecutive results, one file has at most this many. */
const window = 10
const mostOfOneFile = 3

/**
 * Limits the results of one file, so that others are visible: at most three of each ten are of one file, and further
 * ones move to the next ten. Nothing is dropped, and results of a single file keep their order.
 */
export function spread<Item>(ranked: readonly Item[], fileOf: (item: Item) => string): Item[] {
  const result: Item[] = []
  let waiting = [...ranked]
  while (waiting.length > 0) {
    const shown: Item[] = []
    const later: Item[] = []
    const perFile = new Map<string, number>()
    for (const item of waiting) {
      const count = (perFile.get(fileOf(item)) ?? 0) + 1
      if (shown.length === window || count > mostOfOneFile) {
        later.push(item)
        continue
      }
      perFile.set(fileOf(item), count)
      shown.push(item)
    }
    result.push(...shown)
    waiting = later
  }
  return result
}
