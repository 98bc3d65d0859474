import type { Embedder } from '@agentkit/core'
import type { Store } from '../store/store.ts'
import { yieldToOthers } from '../util/yield-to-others.ts'
import { embedAll } from './embed-all.ts'
import { knownMeanings } from './known-meanings.ts'
import { ranksByMeaning } from './ranks-by-meaning.ts'
import { type PassageTrial, passageTrial, ranksByWords, reciprocalRank, skillOf } from './trial.ts'

/** The embedder is unknown: searches show whether it helps. See `trustByAgreement`. */
export const unknownTrust = 0

/** The trust in an embedder that only matches words, which text search does better: close to 0, and not unknown. */
export const wordsOnlyTrust = 0.001

/** The number of chunks of the trial, and the lowest number that is significant. */
const sampled = 64
const fewestTrials = 24

/**
 * The trust in an embedder relative to text search, from 0 to 1: its weight in the fusion.
 *
 * Random vectors and hashes of words degrade the results of text search; good vectors find what it cannot. Three trials
 * with about 250 short texts distinguish them:
 * - Does it match "Refunds are paid out" with "How do I get my money back?"
 * - Does a passage's beginning lead to the rest of it, by the words that do not recur there only?
 * - And by all of its words, as well as text search does?
 *
 * @returns {@link unknownTrust} when no trial is possible, {@link wordsOnlyTrust} when it matches words only
 * @throws AgentKitError the error of the embedder
 */
export async function measureTrust(store: Store, embedder: Embedder, signal: AbortSignal): Promise<number> {
  if (isOffline(embedder)) return wordsOnlyTrust
  const general = await knowsMeanings(embedder, signal)
  const trials = await passageTrials(store)
  if (trials.length < fewestTrials) return general
  const { meaning, beside, knowsWords } = await findsPassages(embedder, trials, signal)
  // At most its value for these passages: an embedder that finds them worse than words do degrades the result.
  const trust = Math.max(meaning, general) * beside
  if (trust >= 0.05) return trust
  return knowsWords ? wordsOnlyTrust : unknownTrust
}

/** Whether an embedder is known to hash words, before any trial. */
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

/** How well it finds passages of the index without shared words, relative to a text search; from 0 to 1. */
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
  // Results for parts of passages are significant only if it finds passages by their parts.
  const wholes = trials.map(({ vector }) => vector)
  const ofIndex = wholes.includes(undefined) ? byAllWords : await ranksByMeaning(asked, wholes)
  return {
    meaning: ramp(skillOf(byOtherWords), 0.84, 0.94),
    beside,
    // Words alone lead no further than a text search does.
    knowsWords: beside < 1 && isSkilled(ofIndex),
  }
}

/**
 * The weight of an embedder relative to words, by how well each of them finds passages (mean reciprocal ranks, from 0 to 1).
 * The trial varies with the sampled passages: averages of word vectors reach .96 of words, and any weight for them costs
 * quality. Where words find nearly all, no embedder can be a tenth better.
 */
export function besideWords(byMeaning: number, byWords: number): number {
  return ramp(byMeaning, 0.95 * byWords, Math.min(1, 1.1 * byWords))
}

/** Chance produces this once in a thousand times. */
function isSkilled(ranks: readonly number[]): boolean {
  return skillOf(ranks) > 0.5 + 0.87 / Math.sqrt(ranks.length)
}

/** 0 up to one number, 1 from another one on, linear between them. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)))
}
