import { relative, sep } from 'node:path'

/** A path as it is written and printed on every system. */
export function posixPath(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

/** The way from one absolute path to another, `.` where they are the same. */
export function posixRelative(from: string, to: string): string {
  return posixPath(relative(from, to)) || '.'
}
