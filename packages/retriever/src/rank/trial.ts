import { yieldToOthers } from '../sync/yield-to-others.ts'
import { familyOf, wordsOf } from './words.ts'

/** A question whose answer is known. */
export type Trial = { question: string; answer: string }

/** A passage taken apart: does its beginning lead back to the rest of it? */
export type PassageTrial = {
  /** The passage without its beginning. */
  answer: string
  /** The beginning: what words and meaning both can find. */
  question: string
  /** The beginning without the words that come again in the answer: what meaning alone can find. */
  otherWords: string
}

/** Words of a beginning, and how many of them and of the other words there must be to try anything. */
const longestBeginning = 30
const fewestWords = 24
const fewestOtherWords = 3

/** Takes a passage apart; nothing for one that is too short, or that repeats itself. */
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

/** Counts from the best score on; as many as score the same share the middle of their places. */
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

/** How often the right answer is put before a wrong one: 1 is always, .5 is chance. */
export function skillOf(ranks: readonly number[]): number {
  return mean(ranks.map((rank) => 1 - (rank - 1) / (ranks.length - 1)))
}

/** How high the right answers stand: 1 is at the top. */
export function reciprocalRank(ranks: readonly number[]): number {
  return mean(ranks.map((rank) => 1 / rank))
}

/** Scores texts for questions by the words that they share: a small BM25. */
export async function wordScorer(texts: readonly string[]): Promise<(question: string) => number[]> {
  const bags: Bag[] = []
  const found = new Map<string, number>()
  for (const text of texts) {
    const bag = bagOf(text)
    for (const family of bag.counts.keys()) found.set(family, (found.get(family) ?? 0) + 1)
    bags.push(bag)
    await yieldToOthers()
  }
  const averageLength = mean(bags.map(({ length }) => length))
  return (question) => {
    const families = [...bagOf(question).counts.keys()].map((family) => {
      const count = found.get(family) ?? 0
      return { family, rarity: Math.log(1 + (texts.length - count + 0.5) / (count + 0.5)) }
    })
    return bags.map(({ counts, length }) => {
      const norm = 1.2 * (0.25 + (0.75 * length) / averageLength)
      let score = 0
      for (const { family, rarity } of families) {
        const count = counts.get(family) ?? 0
        score += (rarity * count * 2.2) / (count + norm)
      }
      return score
    })
  }
}

type Bag = { counts: Map<string, number>; length: number }

function bagOf(text: string): Bag {
  const counts = new Map<string, number>()
  const families = wordsOf(text).map(({ word }) => familyOf(word))
  for (const family of families) counts.set(family, (counts.get(family) ?? 0) + 1)
  return { counts, length: families.length }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
