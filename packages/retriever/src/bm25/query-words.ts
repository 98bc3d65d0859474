import type { QueryWord } from './rank.ts'
import { eachWord } from './words.ts'

/** The number of distinct terms of a query that are searched. */
const mostTerms = 1_000

/** The weight of the last of several terms of a word, which mostly repeats the others; measured. */
const countOfWhole = 0.5

/**
 * The words of a query with their frequencies. Stop words are left out if the query has other words; they are indexed,
 * so a query of stop words only, such as "The Who", still matches.
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
