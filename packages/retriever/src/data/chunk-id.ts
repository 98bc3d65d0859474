import { hash } from 'node:crypto'

/**
 * The id of a passage. An edited passage gets another one, so that an old citation never points at new words.
 *
 * @param repeat how many passages of the same words stand before it in the file
 */
export function chunkId(file: string, quote: string, repeat: number): string {
  return hash('sha256', `${file}\0${quote}${repeat > 0 ? `\0${repeat}` : ''}`).slice(0, 24)
}

/** The key of a text's vector. */
export function textHash(text: string): string {
  return hash('sha256', text).slice(0, 24)
}
