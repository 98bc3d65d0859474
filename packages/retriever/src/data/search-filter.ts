import { plainPath } from './plain-path.ts'

/** Which chunks a search may return. An empty filter is all. */
export type Filter = {
  /** Files, or folders ending in `/`. */
  paths?: readonly string[]
  /** Lower case, with the dot. */
  exts?: readonly string[]
}

/**
 * A filter as stores take it, from one as people write it: `['MD', '.txt']`, `['./handbook']`. What may be a file or a
 * folder is both.
 *
 * @returns `'nothing'` for one that leaves nothing over: an empty list of files is no file
 */
export function wholeFilter({ paths, exts }: Filter): Filter | 'nothing' {
  if (paths?.length === 0 || exts?.length === 0) return 'nothing'
  return {
    ...(paths && !paths.some(isRoot) && { paths: [...new Set(paths.flatMap(wholePaths))] }),
    ...(exts && { exts: [...new Set(exts.map(wholeExt))] }),
  }
}

/** The folder itself. */
function isRoot(path: string): boolean {
  return path !== '' && plainPath(path) === ''
}

/** Stores know a folder by the slash at its end. */
function wholePaths(path: string): string[] {
  const plain = plainPath(path)
  return path.endsWith('/') ? [`${plain}/`] : [plain, `${plain}/`]
}

function wholeExt(ext: string): string {
  return `.${ext.trim().toLowerCase().replace(/^\./, '')}`
}

/** Whether a filter, as {@link wholeFilter} gives it, lets a file pass. */
export function passes({ paths, exts }: Filter, file: string): boolean {
  const isWithin = (path: string): boolean => (path.endsWith('/') ? file.startsWith(path) : file === path)
  const lower = file.toLowerCase()
  return (!paths || paths.some(isWithin)) && (!exts || exts.some((ext) => lower.endsWith(ext)))
}
