import { posix } from 'node:path'

/**
 * The path of a file or folder in the form that the index uses, from one that a user or a model wrote: `./a.md`,
 * `/docs/`, `docs//a.md`. Empty for the root folder.
 */
export function plainPath(path: string): string {
  const whole = posix.normalize(path).replace(/^\/+|\/+$/g, '')
  return whole === '.' ? '' : whole
}

/** Whether a file is the one that a {@link plainPath} names, or is below it. */
export function isAt(path: string, file: string): boolean {
  return path === '' || file === path || file.startsWith(`${path}/`)
}
