import { hash } from 'node:crypto'

/**
 * The id of a passage. An edited passage gets another id, so an old citation never refers to new words.
 *
 * @param repeat the number of earlier passages with the same words in the file
 */
export function chunkId(file: string, quote: string, repeat: number): string {
  return hash('sha256', `${file}\0${quote}${repeat > 0 ? `\0${repeat}` : ''}`).slice(0, 24)
}

/** The key of the vector of a text. */
export function textHash(text: string): string {
  return hash('sha256', text).slice(0, 24)
}
