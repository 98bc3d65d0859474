import { type Stats, statSync } from 'node:fs'

/** The stats of a path; `undefined` if nothing is there, or if the text cannot be a path, such as a long text. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
