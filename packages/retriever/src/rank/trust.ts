import type { Embedder } from '@agentkit/core'
import type { Store } from '../store/store.ts'
import { yieldToOthers } from '../util/yield-to-others.ts'
import { embedAll } from './embed-all.ts'
import { knownMeanings } from './known-meanings.ts'
import { ranksByMeaning } from './ranks-by-meaning.ts'
import { type PassageTrial, passageTrial, ranksByWords, reciprocalRank, skillOf } from './trial.ts'

/** Nothing is known of the embedder: whether it helps shows in searches. See `trustByAgreement`. */
export const unknownTrust = 0

/** It knows words and no meanings, which text search does better: next to nothing, and known. */
export const wordsOnlyTrust = 0.001

/** Chunks to try it on, and how few of them still say something. */
const sampled = 64
const fewestTrials = 24

/**
 * How far an embedder is to be trusted beside text search, from 0 to 1: its weight in the fusion.
 *
 * Random vectors, and hashes of words, make worse what text search has found; good vectors find what it cannot. Three
 * trials tell them apart, of some 250 short texts:
 * - Does it know that "Refunds are paid out" answers "How do I get my money back?"
 * - Does a passage's beginning lead to the rest of it, by those of its words alone that do not come again there?
 * - And by all of its words, as well as these do in a text search?
 *
 * @returns {@link unknownTrust} where none of it can be seen, {@link wordsOnlyTrust} where it finds by words alone
 * @throws AgentKitError what the embedder threw
 */
export async function measureTrust(store: Store, embedder: Embedder, signal: AbortSignal): Promise<number> {
  if (isOffline(embedder)) return wordsOnlyTrust
  const general = await knowsMeanings(embedder, signal)
  const trials = await passageTrials(store)
  if (trials.length < fewestTrials) return general
  const { meaning, beside, knowsWords } = await findsPassages(embedder, trials, signal)
  // As much as it is known to do for these passages: an embedder that finds them worse than words do makes the result worse.
  const trust = Math.max(meaning, general) * beside
  if (trust >= 0.05) return trust
  return knowsWords ? wordsOnlyTrust : unknownTrust
}

/** Whether an embedder is known to make vectors of words alone, before it is tried. */
export function isOffline({ id }: Embedder): boolean {
  return id.startsWith('offline/')
}

async function knowsMeanings(embedder: Embedder, signal: AbortSignal): Promise<number> {
  const questions = knownMeanings.map(({ question }) => question)
  const answers = knownMeanings.map(({ answer }) => answer)
  const asked = await embedAll(embedder, questions, 'query', signal)
  const given = await embedAll(embedder, answers, 'document', signal)
  return ramp(skillOf(await ranksByMeaning(asked, given)), 0.75, 0.9)
}

type StoredTrial = PassageTrial & { vector: Float32Array | undefined }

async function passageTrials(store: Store): Promise<StoredTrial[]> {
  const trials = new Map<string, StoredTrial>()
  for (const { quote, textHash, vector } of await store.sample(sampled)) {
    const trial = passageTrial(quote)
    if (trial) trials.set(textHash, { ...trial, vector })
    await yieldToOthers()
  }
  return [...trials.values()]
}

/** How well it finds passages of the index by what words do not say, and beside a text search; from 0 to 1. */
async function findsPassages(
  embedder: Embedder,
  trials: readonly StoredTrial[],
  signal: AbortSignal,
): Promise<{ meaning: number; beside: number; knowsWords: boolean }> {
  const questions = trials.map(({ question }) => question)
  const answers = trials.map(({ answer }) => answer)
  const otherWords = trials.map(({ otherWords }) => otherWords)
  const given = await embedAll(embedder, answers, 'document', signal)
  const asked = await embedAll(embedder, questions, 'query', signal)
  const byAllWords = await ranksByMeaning(asked, given)
  const byOtherWords = await ranksByMeaning(await embedAll(embedder, otherWords, 'query', signal), given)
  const byText = await ranksByWords(questions, answers)
  const beside = besideWords(reciprocalRank(byAllWords), reciprocalRank(byText))
  // What it does with parts of passages says something of those in the index only if it finds those by their parts.
  const wholes = trials.map(({ vector }) => vector)
  const ofIndex = wholes.includes(undefined) ? byAllWords : await ranksByMeaning(asked, wholes)
  return {
    meaning: ramp(skillOf(byOtherWords), 0.84, 0.94),
    beside,
    // Words alone do not lead further than a text search does.
    knowsWords: beside < 1 && isSkilled(ofIndex),
  }
}

/**
 * The weight of an embedder beside words, by how well each of them finds passages (reciprocal ranks, from 0 to 1). The trial
 * varies with the passages that it draws: averages of word vectors reach .96 of words, and each weight of theirs costs
 * quality. Where words find nearly all, none can be a tenth better.
 */
export function besideWords(byMeaning: number, byWords: number): number {
  return ramp(byMeaning, 0.95 * byWords, Math.min(1, 1.1 * byWords))
}

/** Guessing looks like that once in a thousand times. */
function isSkilled(ranks: readonly number[]): boolean {
  return skillOf(ranks) > 0.5 + 0.87 / Math.sqrt(ranks.length)
}

/** 0 up to one number, 1 from another one on, and straight between. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)))
}
