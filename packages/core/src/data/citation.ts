/** The passage of a file that an answer is based on: `text.slice(start, end) === quote`. */
export type Citation = {
  /** Relative to the indexed folder, with `/`. */
  file: string
  page?: number
  pageEnd?: number
  /** The row number as a spreadsheet shows it: the header is 1. */
  row?: number
  rowEnd?: number
  heading?: string
  /** Offsets into the file's extracted text, in UTF-16 code units. */
  start: number
  end: number
  quote: string
  chunkId: string
  /** Of a passage of an earlier turn: `file` is `session/` and the id of its session, the text what was written in the turn. */
  session?: { sessionId: string; runId: string; at: string }
  /** The file has changed since, and its new version could not be read. */
  stale?: true
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
