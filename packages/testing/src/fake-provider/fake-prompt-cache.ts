import { createHash } from 'node:crypto'
import { type Piece, promptOf, type Wire } from './prompt-pieces.ts'

/** The rules of a cache: OpenAI's before GPT-5.6 and since, Anthropic's, or Gemini's. */
export type CacheRules = 'openai' | 'openai-breakpoints' | 'anthropic' | 'gemini'

/** The usage that a provider would report for a request. */
export type CachedUsage = { inputTokens: number; cachedInputTokens: number; cacheWriteTokens: number }

/** The prompt cache of a provider, without expiry. */
export interface FakePromptCache {
  /**
   * Returns the tokens of a request's prompt that are read from and written to the cache; a token is four characters.
   */
  receive(body: unknown): CachedUsage
}

type Found = { read: number; written: number }
type Cache = { find(pieces: readonly Piece[], key: string): Found }

/**
 * A prompt cache with a provider's rules, for tests of the cost of a conversation: it reports the tokens of a request
 * that are read from the cache and written to it.
 *
 * - `openai`: what an earlier prompt with the same `prompt_cache_key` began with, in steps of 128 tokens; writing is free
 * - `openai-breakpoints`: up to breakpoints that an earlier request has written, under the same key; writes the latest four
 * - `anthropic`: up to marks, and up to 20 blocks before one
 * - `gemini`: what any earlier prompt began with; writing is free
 *
 * No prompt of fewer than 1,024 tokens is cached.
 *
 * @param rules of which provider
 * @example
 * const cache = fakePromptCache('anthropic')
 * await using server = await fakeProvider('anthropic', ({ body }) => ({ text: 'Hello', usage: cache.receive(body) }))
 */
export function fakePromptCache(rules: CacheRules): FakePromptCache {
  const cache = caches[rules]()
  return {
    receive(body) {
      const { pieces, key, implicitEnd } = promptOf(wires[rules], body)
      const last = pieces.at(-1)
      // By default OpenAI sets a breakpoint of its own at the end.
      if (rules === 'openai-breakpoints' && implicitEnd && last) last.isMarked = true
      const { read, written } = cache.find(pieces, key)
      return { inputTokens: tokensOf(pieces), cachedInputTokens: read, cacheWriteTokens: written }
    },
  }
}

const wires: Record<CacheRules, Wire> = {
  openai: 'openai',
  'openai-breakpoints': 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
}

const caches: Record<CacheRules, () => Cache> = {
  openai: () => beginnings(128, true),
  gemini: () => beginnings(1, false),
  'openai-breakpoints': () => marks({ written: 4, considered: 80, before: 0, needsKey: true }),
  anthropic: () => marks({ written: 4, considered: 4, before: 20, needsKey: false }),
}

const leastTokens = 1_024

function tokensOf(pieces: readonly Piece[]): number {
  return Math.ceil(pieces.reduce((chars, { text }) => chars + text.length, 0) / 4)
}

/** Finds the longest beginning of any earlier prompt, in steps. */
function beginnings(step: number, byKey: boolean): Cache {
  const known = new Map<string, string[]>()
  return {
    find(pieces, key) {
      const prompts = known.get(byKey ? key : '') ?? []
      const prompt = pieces.map(({ text }) => text).join('')
      const longest = Math.max(0, ...prompts.map((earlier) => sharedLength(earlier, prompt)))
      known.set(byKey ? key : '', [...prompts, prompt])
      const tokens = Math.floor(longest / 4 / step) * step
      return { read: tokens < leastTokens ? 0 : tokens, written: 0 }
    },
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

type MarkRules = { written: number; considered: number; before: number; needsKey: boolean }

/** Finds the entry that an earlier request has written up to one of its marks. */
function marks({ written, considered, before, needsKey }: MarkRules): Cache {
  const known = new Set<string>()
  return {
    find(pieces, key) {
      const digest = createHash('sha256').update(needsKey ? key : '')
      const hashes = pieces.map(({ text }) => digest.update(`\0${text}`).copy().digest('hex'))
      const ends = pieces.flatMap(({ isMarked }, index) => (isMarked ? [index] : []))
      const isKnown = (index: number): boolean => known.has(hashes[index] ?? '')
      const candidates = ends.slice(-considered).flatMap((end) => {
        return Array.from({ length: Math.min(before, end) + 1 }, (_, back) => end - back).find(isKnown) ?? []
      })
      const upTo = (index: number): number => tokensOf(pieces.slice(0, index + 1))
      const read = needsKey && key === '' ? 0 : Math.max(0, ...candidates.map(upTo))
      const writes = ends.slice(-written).filter((end) => upTo(end) >= leastTokens)
      for (const end of writes) known.add(hashes[end] ?? '')
      return { read, written: Math.max(0, ...writes.map((end) => upTo(end) - read)) }
    },
  }
}
