import { plainPath, spellingsOf } from './plain-path.ts'

/** Which chunks a search may return. An empty filter is all. */
export type Filter = {
  /** Files, or folders ending in `/`. */
  paths?: readonly string[]
  /** Lower case, with the dot. */
  exts?: readonly string[]
}

/**
 * A filter in the form that stores use, from one that a user wrote: `['MD', '.txt']`, `['./handbook']`. A path that may
 * be a file or a folder becomes both.
 *
 * @returns `'nothing'` for a filter that no file can pass: an empty list of files
 */
export function wholeFilter({ paths, exts }: Filter): Filter | 'nothing' {
  if (paths?.length === 0 || exts?.length === 0) return 'nothing'
  return {
    ...(paths && !paths.some(isRoot) && { paths: [...new Set(paths.flatMap(wholePaths))] }),
    ...(exts && { exts: [...new Set(exts.map(wholeExt))] }),
  }
}

/** The root folder. */
function isRoot(path: string): boolean {
  return path !== '' && plainPath(path) === ''
}

/** Stores recognize a folder by its trailing slash. */
function wholePaths(path: string): string[] {
  return spellingsOf(plainPath(path)).flatMap((plain) => (path.endsWith('/') ? [`${plain}/`] : [plain, `${plain}/`]))
}

function wholeExt(ext: string): string {
  return `.${ext.trim().toLowerCase().replace(/^\./, '')}`
}

/** Whether a file passes a filter that {@link wholeFilter} returned. */
export function passes({ paths, exts }: Filter, file: string): boolean {
  const isWithin = (path: string): boolean => (path.endsWith('/') ? file.startsWith(path) : file === path)
  const lower = file.toLowerCase()
  return (!paths || paths.some(isWithin)) && (!exts || exts.some((ext) => lower.endsWith(ext)))
}

/** A filter for the requested extensions. */
export function narrowedFilter(filter: Filter, exts: ReadonlySet<string>): Filter {
  const whole = wholeFilter(filter)
  const wanted = whole === 'nothing' ? [] : (whole.exts?.filter((ext) => exts.has(ext)) ?? [...exts])
  return { ...filter, exts: wanted }
}
