import { liveSegment } from '../bm25/live-segment.ts'
import { queryWords } from '../bm25/query-words.ts'
import { rank } from '../bm25/rank.ts'
import { segmentBuilder } from '../bm25/segment-builder.ts'
import { timeSlices } from '../util/time-slices.ts'
import { familyOf, wordsOf } from './words.ts'

/** A question whose answer is known. */
export type Trial = { question: string; answer: string }

/** A question and answer made from a passage: does its beginning lead to the rest of it? */
export type PassageTrial = {
  /** The passage without its beginning. */
  answer: string
  /** The beginning: what both text search and vectors can find. */
  question: string
  /** The beginning without the words that recur in the answer: what only vectors can find. */
  otherWords: string
}

/** The number of words of a beginning, and the lowest number of its other words for a trial. */
const longestBeginning = 30
const fewestWords = 24
const fewestOtherWords = 3

/** Splits a passage; undefined for one that is too short or that repeats itself. */
export function passageTrial(passage: string): PassageTrial | undefined {
  const parts = wordsOf(passage)
  if (parts.length < fewestWords) return undefined
  const cut = parts[Math.min(longestBeginning, Math.ceil(parts.length / 3))]
  if (cut === undefined) return undefined
  const question = passage.slice(0, cut.at).trim()
  const answer = passage.slice(cut.at).trim()
  const said = new Set(parts.filter(({ at }) => at >= cut.at).map(({ word }) => familyOf(word)))
  const others = parts.filter(({ at, word }) => at < cut.at && !said.has(familyOf(word)))
  if (others.length < fewestOtherWords) return undefined
  return { question, answer, otherWords: others.map(({ word }) => word).join(' ') }
}

/** Counts from the best score on; equal scores share the middle of their ranks. */
export function rankOf(index: number, scores: readonly number[]): number {
  const own = scores[index] ?? 0
  let better = 0
  let same = 0
  for (const [other, score] of scores.entries()) {
    if (other === index) continue
    if (score > own + 1e-6) better += 1
    else if (score > own - 1e-6) same += 1
  }
  return 1 + better + same / 2
}

/** How often the right answer is ranked above a wrong one (AUC): 1 is always, .5 is chance. */
export function skillOf(ranks: readonly number[]): number {
  return mean(ranks.map((place) => 1 - (place - 1) / (ranks.length - 1)))
}

/** The mean reciprocal rank of the right answers: 1 is the top. */
export function reciprocalRank(ranks: readonly number[]): number {
  return mean(ranks.map((place) => 1 / place))
}

/** The rank of each question's text, at the same index, among all texts in a text search. */
export async function ranksByWords(questions: readonly string[], texts: readonly string[]): Promise<number[]> {
  const slices = timeSlices()
  const builder = segmentBuilder()
  for (const [doc, text] of texts.entries()) builder.add({ doc, file: 0, text })
  const segments = [liveSegment(await builder.build(slices), new Uint8Array())]
  const ranks: number[] = []
  for (const [index, question] of questions.entries()) {
    const scores = texts.map(() => 0)
    for (const { doc, score } of rank(segments, queryWords(question), { limit: texts.length })) scores[doc] = score
    ranks.push(rankOf(index, scores))
    if (slices.isOver) await slices.next()
  }
  return ranks
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
