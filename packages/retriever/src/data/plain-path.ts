import { posix } from 'node:path'

/**
 * The path of a file or folder as the index knows it, from one as people and models write it: `./a.md`, `/docs/`,
 * `docs//a.md`. Empty for the folder of all files itself.
 */
export function plainPath(path: string): string {
  const whole = posix.normalize(path).replace(/^\/+|\/+$/g, '')
  return whole === '.' ? '' : whole
}

/** Whether a file is what a {@link plainPath} names, or lies below it. */
export function isAt(path: string, file: string): boolean {
  return path === '' || file === path || file.startsWith(`${path}/`)
}
