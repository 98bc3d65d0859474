import type { QueryWord } from './rank.ts'
import { eachWord } from './words.ts'

/** Of longer queries only so many different terms are looked for. */
const mostTerms = 1_000

/** The last of several terms of a word says again what the others say; measured. */
const countOfWhole = 0.5

/**
 * The words of a query: what it says twice counts twice. Words that everybody says are left out where it has others:
 * they are in the index too, so "The Who" finds what it can.
 */
export function queryWords(query: string): QueryWord[] {
  const telling = new Map<string, number>()
  const others = new Map<string, number>()
  eachWord(query, ({ terms, length }) => {
    const words = length > 0 ? telling : others
    for (const [place, term] of terms.entries()) {
      const known = words.get(term) ?? 0
      const isWhole = place > 0 && place === terms.length - 1
      if (known > 0 || words.size < mostTerms) words.set(term, known + (isWhole ? countOfWhole : 1))
    }
  })
  const words = telling.size > 0 ? telling : others
  return [...words].map(([term, count]) => ({ count, forms: [{ term, weight: 1 }] }))
}
