import { type Stats, statSync } from 'node:fs'

/** What there is at a path; `undefined` also for what cannot be one, such as a long text, which `stat` refuses. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
