/** A passage of a file: what is searched, cited and embedded. */
export type Chunk = {
  /** Made of the file's path and the passage's words: see `chunkId`. */
  id: string
  /** Relative to the folder, with `/`. */
  file: string
  /** Its place among the file's chunks, from 0 on. */
  order: number
  /** `text.slice(start, end)` of the file's extracted text, exactly. */
  quote: string
  /** In UTF-16 code units, as JavaScript counts. */
  start: number
  end: number
  /** The headings that it stands below: `Handbook > Holidays`. */
  heading?: string
  /** Of a PDF, from 1 on. `pageEnd` only where it is another one. */
  page?: number
  pageEnd?: number
  /** Of a CSV, as a spreadsheet numbers its rows: the header is 1. `rowEnd` only where it is another one. */
  row?: number
  rowEnd?: number
  /** Of `searchedText`: passages of the same words share a vector, whatever their file is called. */
  textHash: string
}

/** A chunk on its way into the index; with a vector where there is an embedder. */
export type NewChunk = Chunk & { vector?: Float32Array }

/** What is searched and embedded: the passage below its headings. */
export function searchedText({ heading, quote }: Pick<Chunk, 'heading' | 'quote'>): string {
  return heading === undefined ? quote : `${heading}\n${quote}`
}
