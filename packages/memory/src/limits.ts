/** The bounds of a memory. */
export const limits = {
  /** Notes about one user. */
  notes: 50,
  /** Characters of one note. */
  noteChars: 500,
  /** Characters of a query. */
  queryChars: 10_000,
  /** Hits of a search, and how many there are when no limit is given. */
  hits: 50,
  usualHits: 10,
  /** Turns of one block, which is found as a whole: eight messages. */
  blockTurns: 4,
  /** A block with this number of characters takes no more turns. */
  blockChars: 8_000,
  /** The characters of a turn that are searched. */
  turnChars: 20_000,
  /** Characters of a quote. */
  quoteChars: 400,
  /** Characters of a block as the model receives it. */
  shownChars: 1_200,
  /** Turns that are read at once while an index is built. */
  readTurns: 1_000,
  /** The indexes of users that one agent holds in memory, in bytes. */
  heldBytes: 128_000_000,
  /** The longest time that turns can be recalled, in days. */
  days: 36_500,
} as const
