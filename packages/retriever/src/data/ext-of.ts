import { extname } from 'node:path'

/** A file's extension in lower case, with the dot; empty when it has none. */
export function extOf(file: string): string {
  return extname(file).toLowerCase()
}
