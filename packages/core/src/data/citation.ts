/** The passage of a file that an answer is based on: `text.slice(start, end) === quote`. */
export type Citation = {
  /** Relative to the indexed folder, with `/`. */
  file: string
  /** The page on which the passage begins, from 1. */
  page?: number
  /** The page on which the passage ends. */
  pageEnd?: number
  /** The row number as a spreadsheet shows it: the header is 1. */
  row?: number
  /** The last row of the passage. */
  rowEnd?: number
  /** The heading above the passage. */
  heading?: string
  /** The beginning of the quote in the file's extracted text, in UTF-16 code units. */
  start: number
  /** The end of the quote, in UTF-16 code units; exclusive. */
  end: number
  /** The text of the passage. */
  quote: string
  /** The id of the passage, which `knowledge.passage` takes. */
  chunkId: string
  /** The turn that a passage of an earlier conversation comes from. Then `file` is `session/` with the id of the session. */
  session?: { sessionId: string; runId: string; at: string }
  /** The file has changed since, and its new version could not be read. */
  stale?: true
  /** How well the passage fits the query: by words, by meaning, and both together. Higher is better. */
  score: { text?: number; vector?: number; fused: number }
}

/** The passages that are new among those which are known, each once. */
export function distinctPassages(cited: readonly Citation[], known: readonly Citation[] = []): Citation[] {
  const seen = new Set(known.map(passageOf))
  return cited.filter((citation) => {
    const passage = passageOf(citation)
    const isNew = !seen.has(passage)
    seen.add(passage)
    return isNew
  })
}

function passageOf({ file, chunkId }: Citation): string {
  return JSON.stringify([file, chunkId])
}
