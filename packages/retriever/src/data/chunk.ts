/** A passage of a file: the unit of search, citation and embedding. */
export type Chunk = {
  /** Derived from the file's path and the passage's words: see `chunkId`. */
  id: string
  /** Relative to the folder, with `/`. */
  file: string
  /** Its index among the file's chunks, from 0 on. */
  order: number
  /** Exactly `text.slice(start, end)` of the file's extracted text. */
  quote: string
  /** In UTF-16 code units, as JavaScript counts. */
  start: number
  end: number
  /** The headings above it: `Handbook > Holidays`. */
  heading?: string
  /** Of a PDF, from 1 on. `pageEnd` only if it differs. */
  page?: number
  pageEnd?: number
  /** Of a CSV, numbered as in a spreadsheet: the header is row 1. `rowEnd` only if it differs. */
  row?: number
  rowEnd?: number
  /** Of `searchedText`: passages with the same words share a vector, whatever the names of their files. */
  textHash: string
}

/** A chunk on its way into the index; with a vector where there is an embedder. */
export type NewChunk = Chunk & { vector?: Float32Array }

/** The text that is searched and embedded: the passage with the headings above it. */
export function searchedText({ heading, quote }: Pick<Chunk, 'heading' | 'quote'>): string {
  return heading === undefined ? quote : `${heading}\n${quote}`
}
