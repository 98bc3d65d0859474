import { clusterEndBefore } from './grapheme.ts'

export interface HeadingPath {
  /** `Handbook > Holidays`; undefined before the first heading. */
  readonly current: string | undefined
  /** The heading with its markup, as written in the text. */
  open(heading: string, level: number): void
  /** Whether a heading of that level would be below the heading that was opened last. */
  isBelow(level: number): boolean
}

/** The length at which titles are cut: the path is repeated in the searched text of each passage. */
const longestTitle = 120
const longestPath = 300
/** Deeper levels count as this one. */
const deepest = 8

/** The headings above a position of a file. */
export function createHeadingPath(): HeadingPath {
  let open: { title: string; level: number }[] = []
  let current: string | undefined

  return {
    get current() {
      return current
    },
    open(heading, level) {
      const capped = Math.min(level, deepest)
      open = open.filter((one) => one.level < capped)
      const title = titleOf(heading)
      if (title !== '') open.push({ title, level: capped })
      current = pathOf(open.map((one) => one.title))
    },
    isBelow(level) {
      return Math.min(level, deepest) > (open.at(-1)?.level ?? 0)
    },
  }
}

/** The text of a heading without its markup. */
function titleOf(heading: string): string {
  const line = heading
    .slice(0, 1_000)
    .replace(/^#{1,6}[ \t]+/, '')
    .replace(/\n[=-]+[ \t]*$/, '')
    .replace(/[ \t]+#+[ \t]*$/, '')
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longestTitle ? `${line.slice(0, clusterEndBefore(line, 0, longestTitle)).trim()}…` : line
}

/** Inner headings are the most specific: when the path is too long, outer ones are dropped. */
function pathOf(titles: readonly string[]): string | undefined {
  let path = titles.at(-1)
  for (const title of titles.slice(0, -1).reverse()) {
    if (path === undefined || title.length + path.length > longestPath) break
    path = `${title} > ${path}`
  }
  return path
}
