/** Of so many results in a row, one file has at most so many. */
const window = 10
const mostOfOneFile = 3

/**
 * Lets other files be seen beside one that has much to say: of each ten results at most three are of one file, and its
 * further ones follow in the next ten. Nothing is dropped, and what one file alone has keeps its order.
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
