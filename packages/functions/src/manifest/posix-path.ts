import { relative, sep } from 'node:path'

/** A path with forward slashes, on every system. */
export function posixPath(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

/** The relative path from one absolute path to another; `.` if they are equal. */
export function posixRelative(from: string, to: string): string {
  return posixPath(relative(from, to)) || '.'
}
