/** A passage of a file: the unit of search, citation and embedding. */
export type Chunk = {
  /** Derived from the file's path and the passage's words: see `chunkId`. */
  id: string
  /** Relative to the folder, with `/`. */
  file: string
  /** The index of the chunk in the file, from 0 on. */
  order: number
  /** Exactly `text.slice(start, end)` of the file's extracted text. */
  quote: string
  /** In UTF-16 code units, as JavaScript counts. */
  start: number
  end: number
  /** The headings above the chunk: `Handbook > Holidays`. */
  heading?: string
  /** The first page in a PDF, from 1 on. `pageEnd` only if it differs. */
  page?: number
  pageEnd?: number
  /** The first row in a CSV, numbered as in a spreadsheet: the header is row 1. `rowEnd` only if it differs. */
  row?: number
  rowEnd?: number
  /** The hash of `searchedText`: passages with the same words share a vector, whatever the names of their files are. */
  textHash: string
}

/** A chunk without its text: where it is in its file. */
export type Place = Pick<Chunk, 'id' | 'file' | 'start' | 'end' | 'heading'>

/** A chunk on its way into the index; with a vector where there is an embedder. */
export type NewChunk = Chunk & { vector?: Float32Array }

/** The text that is searched and embedded: the passage with the headings above it. */
export function searchedText({ heading, quote }: Pick<Chunk, 'heading' | 'quote'>): string {
  return heading === undefined ? quote : `${heading}\n${quote}`
}
