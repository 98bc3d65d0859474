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

/** The names of a path of which each may have another form of Unicode; of a longer path all have the same. */
const mostMixed = 4

/**
 * A path as it is written, and in Unicode's composed and decomposed forms: names of files from a Mac are often decomposed,
 * also those of folders with composed files, and users and models write composed ones.
 */
export function spellingsOf(path: string): string[] {
  const spellings = [path, path.normalize('NFC'), path.normalize('NFD')]
  const names = path.split('/').map((name) => [...new Set([name.normalize('NFC'), name.normalize('NFD')])])
  if (names.filter(({ length }) => length > 1).length <= mostMixed) {
    const join = (begun: string[], forms: string[]): string[] =>
      begun.flatMap((start) => forms.map((form) => `${start}/${form}`))
    spellings.push(...names.reduce(join, ['']).map((spelling) => spelling.slice(1)))
  }
  return [...new Set(spellings)]
}
