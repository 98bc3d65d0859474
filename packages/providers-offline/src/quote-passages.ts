import type { FoundPassage } from './file-results.ts'
import { answersKind } from './passages.ts'
import { areRelated } from './related-words.ts'
import { type Statement, statementsOf } from './statements.ts'
import { areSynonyms } from './synonyms.ts'
import { contentStems, stemsOf } from './tokens.ts'

type Scored = Statement & { place: string; rank: number; share: number; score: number; isSaid: boolean }

/** Of the words that are looked for, how much a statement must have to be an answer rather than the nearest thing. */
const enough = 0.4
const longestQuote = 600
const mostItems = 6
const mostSentences = 3

/**
 * The statements of found passages that answer best, word for word, each with its place; when they hardly do, the
 * nearest one, and that it is no more; `undefined` when no word of the query stands in any.
 *
 * @param question how it was asked: "how many" looks for a number
 * @param query the words that were looked for
 */
export function quotePassages(question: string, query: string, passages: readonly FoundPassage[]): string | undefined {
  const ranked = rankStatements(question, query, passages)
  const [best, ...others] = ranked
  if (!best) return undefined
  if (best.share < enough) return `I found no plain answer in the files; this comes nearest: ${quoted(best)}`
  const more = others.filter(
    ({ score, share, isSaid, text }) => isSaid && share >= enough && score >= best.score * 0.9 && text !== best.text,
  )
  const chosen = [best, ...more.slice(0, 1)].map((one) => withItsLike(one, passages))
  return [...new Set(chosen.map(quoted))].join(' ')
}

function quoted({ text, place }: Scored): string {
  const shown = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
  return `"${shown}" (${place})`
}

/** With the list that a statement announces, and with the rest of the answer to a question that the text itself asks. */
function withItsLike(one: Scored, passages: readonly FoundPassage[]): Scored {
  const all = statementsOf(passages[one.rank]?.text ?? '')
  const items = one.text.endsWith(':') ? all.filter(({ lead }) => lead === one.text).slice(0, mostItems) : []
  const answer = one.lead.endsWith('?') ? all.filter(({ lead }) => lead === one.lead).slice(0, mostSentences) : []
  if (items.length > 0) return { ...one, text: `${one.text} ${items.map(({ text }) => text).join('; ')}` }
  return answer.some(({ text }) => text === one.text) ? { ...one, text: answer.map(({ text }) => text).join(' ') } : one
}

/** Every statement that has a word of the query, or stands below one, the best first. */
function rankStatements(question: string, query: string, passages: readonly FoundPassage[]): Scored[] {
  const asked = askedStems(query)
  const all = passages.flatMap(({ place, text }, rank) =>
    statementsOf(text).map((statement, order) => ({ ...statement, place, rank, order })),
  )
  const own = all.map(({ text }) => [...new Set(stemsOf(text))])
  const above = all.map(({ heading, lead, place }) => [...new Set([...stemsOf(`${heading} ${lead} ${place}`)])])
  const weights = asked.map((word) => {
    const having = all.filter((_, at) => own[at]?.includes(word) || above[at]?.includes(word)).length
    return Math.log(1 + all.length / (0.5 + having))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const scored = all.map((one, at): Scored => {
    const shares = asked.map((word, index) => {
      const hit = Math.max(likeness(word, own[at] ?? []), likeness(word, above[at] ?? []) * 0.75)
      return hit * (weights[index] ?? 0)
    })
    const share = total === 0 ? 0 : shares.reduce((sum, weight) => sum + weight, 0) / total
    const bonus = answersKind(question, one.text) + 0.1 / (1 + one.rank) + 0.05 / (1 + one.order)
    const isShort = (own[at]?.length ?? 0) < 3
    const isSaid = asked.some((word) => isSaidIn(word, [...(own[at] ?? []), ...(above[at] ?? [])]))
    return { ...one, share, isSaid, score: share + bonus - (isShort ? 0.15 : 0) }
  })
  // Words that only stand for those of the query are no reason to quote what hardly answers.
  return scored
    .filter(({ share, isSaid }) => share > 0 && (isSaid || share >= enough))
    .sort((a, b) => b.score - a.score)
}

/** The stems of a query; of words that stand for one another the first. */
function askedStems(query: string): string[] {
  return contentStems(query).filter(
    (word, index, all) => !all.slice(0, index).some((before) => areSynonyms(before, word)),
  )
}

function isSaidIn(word: string, others: readonly string[]): boolean {
  return others.some((other) => word === other || isAlike(word, other))
}

/** How nearly a word is among others: itself, one that stands for it, or one that is misspelt or built alike. */
function likeness(word: string, others: readonly string[]): number {
  if (others.includes(word)) return 1
  if (others.some((other) => areSynonyms(word, other) || areRelated(word, other))) return 0.7
  return others.some((other) => isAlike(word, other)) ? 0.6 : 0
}

function isAlike(a: string, b: string): boolean {
  if (a.length < 5 || b.length < 5 || Math.abs(a.length - b.length) > 3) return false
  if (a.startsWith(b) || b.startsWith(a)) return true
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return Math.max(a.length, b.length) - start - end <= 1
}
