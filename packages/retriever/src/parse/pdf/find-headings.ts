import type { Line } from './page-lines.ts'
import { joinLines, type Paragraph } from './page-paragraphs.ts'
import { headingKey, type OutlineEntry } from './read-outline.ts'

/** A paragraph, with its level if it is a heading. */
export type PagePart = Paragraph & { level?: number }

/** Turns the paragraphs that the outline names into headings, and splits them from joined text. */
export function headingsByOutline(paragraphs: readonly Paragraph[], entries: readonly OutlineEntry[]): PagePart[] {
  const open = [...entries]
  return paragraphs.flatMap((paragraph) => cutHeadings(paragraph, open))
}

function cutHeadings({ lines, size }: Paragraph, open: OutlineEntry[]): PagePart[] {
  for (let from = 0; from < lines.length && open.length > 0; from++)
    for (let count = 1; count <= 3 && from + count <= lines.length; count++) {
      const heading = lines.slice(from, from + count)
      const place = open.findIndex(({ key }) => isTitle(headingKey(joinLines(heading)), key))
      const [entry] = place < 0 ? [] : open.splice(place, 1)
      if (entry === undefined) continue
      const parts: PagePart[] = from === 0 ? [] : [{ lines: lines.slice(0, from), size }]
      parts.push({ lines: heading, size, level: entry.level })
      const rest = lines.slice(from + count)
      return rest.length === 0 ? parts : [...parts, ...cutHeadings({ lines: rest, size }, open)]
    }
  return [{ lines, size }]
}

/** The page or the outline may have a number before the title. */
function isTitle(line: string, title: string): boolean {
  if (line === title) return true
  const [long, short] = line.length > title.length ? [line, title] : [title, line]
  if (short.length < 3 || !long.endsWith(short)) return false
  return /^(chapter|section|part|appendix|kapitel|teil|chapitre)?[\divxlc]{1,8}$|^[a-z]\d*$/.test(
    long.slice(0, long.length - short.length),
  )
}

/** The number of characters of each size in a file so far: the most frequent size is the body's. */
export class BodySize {
  readonly #characters = new Map<number, number>()

  count(lines: readonly Line[]): void {
    for (const { size, text } of lines) this.#characters.set(size, (this.#characters.get(size) ?? 0) + text.length)
  }

  get size(): number {
    let body = 0
    let most = 0
    for (const [size, characters] of this.#characters) {
      if (characters <= most) continue
      most = characters
      body = size
    }
    return body
  }
}

/** Without an outline: short paragraphs in clearly larger letters than the body. */
export function headingsBySize(paragraphs: readonly Paragraph[], body: number): PagePart[] {
  const parts = paragraphs.map((paragraph): PagePart => {
    const level = body > 0 ? levelOf(paragraph, body) : undefined
    return level === undefined ? paragraph : { ...paragraph, level }
  })
  const rest = parts.filter(({ level }) => level === undefined)
  // A page of large letters only (a cover, a slide) has no heading.
  return rest.length === 0 ? [...paragraphs] : parts
}

function levelOf({ lines, size }: Paragraph, body: number): number | undefined {
  const text = joinLines(lines)
  if (size < body * 1.15 || lines.length > 3 || text.length > 160 || !/\p{L}{2}/u.test(text)) return undefined
  if (size >= body * 1.7) return 1
  return size >= body * 1.35 ? 2 : 3
}
