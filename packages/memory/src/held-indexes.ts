/** The indexes of the users that searched last, as many as `maxBytes` allow; the last one always. */
export function heldIndexes<Index extends { bytes(): number }>(
  maxBytes: number,
): {
  /** Removes the index of a user, if it is held. */
  take(userId: string): Index | undefined
  /** Holds an index by its present size, in the place of an earlier one. */
  put(userId: string, index: Index): void
} {
  const held = new Map<string, { index: Index; bytes: number }>()
  let bytes = 0
  const take = (userId: string): Index | undefined => {
    const found = held.get(userId)
    held.delete(userId)
    bytes -= found?.bytes ?? 0
    return found?.index
  }
  return {
    take,
    put(userId, index) {
      take(userId)
      const size = index.bytes()
      held.set(userId, { index, bytes: size })
      bytes += size
      for (const [oldest] of held) {
        if (bytes <= maxBytes || held.size === 1) break
        take(oldest)
      }
    },
  }
}
