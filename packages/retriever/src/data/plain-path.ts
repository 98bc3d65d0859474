import { posix } from 'node:path'

/**
 * The path of a file or folder in the form that the index uses, from one that a user or a model wrote: `./a.md`,
 * `/docs/`, `docs//a.md`. Empty for the root folder.
 */
export function plainPath(path: string): string {
  const whole = posix.normalize(path).replace(/^\/+|\/+$/g, '')
  return whole === '.' ? '' : whole
}

/** Whether a {@link plainPath} names a file or a folder that contains it. Names are compared in normalized Unicode. */
export function isAt(path: string, file: string): boolean {
  return isBelow(path.normalize())(file.normalize())
}

/** The same for many files. @param path both are in normalized Unicode */
export function isBelow(path: string): (file: string) => boolean {
  const folder = `${path}/`
  return (file) => path === '' || file === path || file.startsWith(folder)
}

/**
 * A path as it is written, and in Unicode's composed and decomposed forms: names of files from a Mac are often decomposed,
 * and users and models write composed ones.
 */
export function spellingsOf(path: string): string[] {
  return [...new Set([path, path.normalize('NFC'), path.normalize('NFD')])]
}
