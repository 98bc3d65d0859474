import type { Filter } from '../../data/search-filter.ts'
import { filterSql } from './lance-sql.ts'
import { all, areChunks, type LanceTable, readRows } from './lance-table.ts'

/** The bounds of a fuzzy search: words, letters of each, chunks that are read, and similar words that are enough. */
const limits = { words: 12, letters: 40, chunks: 400, alike: 12 }

/**
 * Words of the index that contain a query's words or are spelt nearly like them. LanceDB's own fuzzy search compares
 * stems with words, so that it misses most.
 */
export async function similarWords(at: LanceTable, query: string, filter: Filter): Promise<string[]> {
  const isAsked = (word: string): boolean => word.length >= shortest(word) && word.length <= limits.letters
  const asked = [...new Set(wordsOf(query.toLowerCase()))].filter(isAsked).slice(0, limits.words)
  const found = await closest(at, asked, filter, nearly)
  // Longer ones may have more than one letter wrong.
  const rest = asked.filter((word) => !found.has(word) && edits(word) > 1)
  const further = await closest(at, rest, filter, sharingPart)
  return [...found.values(), ...further.values()].flat()
}

const isKorean = /^\p{Script=Hangul}+$/u

/** A syllable of Korean carries as much as several letters. */
function shortest(word: string): number {
  return isKorean.test(word) ? 2 : 4
}

/** Whether a word is looked for within others: `Urlaub` in `Jahresurlaub`, a noun of Korean before its particle. */
function isPart(word: string): boolean {
  return word.length >= (isKorean.test(word) ? 2 : 5) && !/\d/.test(word)
}

/** Letters and digits in a row. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}

async function closest(
  { table }: LanceTable,
  asked: readonly string[],
  filter: Filter,
  patternOf: (word: string) => string,
): Promise<Map<string, string[]>> {
  const alike = new Map<string, string[]>()
  if (asked.length === 0) return alike
  // The words have letters and digits only, so the pattern needs no escapes. A pattern of ASCII is several times faster.
  const mode = asked.every((word) => /^[a-z0-9]+$/.test(word)) ? '(?i-u)' : '(?i)'
  const condition = `regexp_like(text, '${mode}\\b(?:${asked.map(patternOf).join('|')})\\b')`
  const where = all(areChunks, filterSql(filter), condition)
  const rows = await readRows(table.query().where(where).select(['text']).limit(limits.chunks))
  const words = new Set(rows.flatMap(({ text }) => wordsOf(String(text).toLowerCase())))
  for (const word of asked) {
    const near = [...words]
      .map((other) => ({ other, distance: distanceTo(other, word) }))
      .filter(({ distance }) => distance <= Math.max(0.5, edits(word)))
      .sort((one, other) => one.distance - other.distance)
      .slice(0, limits.alike)
    if (near.length > 0)
      alike.set(
        word,
        near.map(({ other }) => other),
      )
  }
  return alike
}

/** Above `edits` where a word is neither similar nor a part of the other one. */
function distanceTo(other: string, word: string): number {
  if (other.startsWith(word)) return 0
  return isPart(word) && other.includes(word) ? 0.5 : distance(word, other, edits(word))
}

/** How many letters of a word may be wrong. */
function edits(word: string): number {
  if (word.length < 4) return 0
  return word.length < 8 ? 1 : word.length < 12 ? 2 : 3
}

/** Words that contain this one or begin like it, or that have one letter more, less or another, or two that changed places. */
function nearly(word: string): string {
  const longer = isPart(word) ? `\\w*${word}\\w*` : `${word}\\w*`
  if (edits(word) === 0) return longer
  const letters = [...word]
  const variants = letters.flatMap((_, place) => [
    `${letters.slice(0, place).join('')}\\w{0,2}${letters.slice(place + 1).join('')}`,
    `${letters.slice(0, place).join('')}\\w\\w${letters.slice(place + 2).join('')}`,
  ])
  return [longer, ...variants].join('|')
}

/**
 * The pattern of words that share a part with this one at about the same position: of more parts than mistakes, at
 * least one is right.
 */
function sharingPart(word: string): string {
  const letters = [...word]
  const mistakes = edits(word)
  const length = Math.floor(letters.length / (mistakes + 1))
  const around = (count: number): string => `\\w{${Math.max(0, count - mistakes)},${count + mistakes}}`
  return Array.from({ length: mistakes + 1 }, (_, part) => {
    const start = part * length
    const end = part === mistakes ? letters.length : start + length
    return around(start) + letters.slice(start, end).join('') + around(letters.length - end)
  }).join('|')
}

/** How many letters have to be put in, taken out, changed or swapped with the next; above `most` it is not exact. */
function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1)
      }
      next.push(least)
    }
    before = last
    last = next
  }
  return last[other.length] ?? 0
}
