import type { CacheMark, CachePlan } from '@agentkit/core'

/**
 * How a model's prompts are cached: by itself, or up to breakpoints only, where writing costs 1.25 times the input.
 * https://developers.openai.com/api/docs/guides/prompt-caching
 */
export type Caching = 'none' | 'automatic' | 'breakpoints'

/** The fields of a request about caching. */
export type CacheFields = { prompt_cache_key?: string; prompt_cache_options?: { mode: 'explicit' } }

/** The breakpoint on the last part of a cached prompt. */
export type Breakpoint = { prompt_cache_breakpoint?: { mode: 'explicit' } }

export function cacheFields(cache: CachePlan | undefined, caching: Caching): CacheFields {
  if (caching === 'none') return {}
  return {
    ...(cache && { prompt_cache_key: cache.key }),
    // Otherwise the API would write each prompt up to its end, also one that is sent once.
    ...(caching === 'breakpoints' && { prompt_cache_options: { mode: 'explicit' } }),
  }
}

export function withBreakpoint<Part extends object>(parts: readonly Part[]): (Part & Breakpoint)[] {
  return parts.map((part, index) => {
    return index < parts.length - 1 ? part : { ...part, prompt_cache_breakpoint: { mode: 'explicit' } }
  })
}

/** How the items of a prompt are read and changed. */
type ItemForm<Item> = {
  /** The number of the first items that are instructions. */
  instructions: number
  isAnswer(item: Item): boolean
  /**
   * The item with its text as parts, so that it looks the same with and without a mark; an item without parts is
   * unchanged.
   */
  inParts(item: Item): Item
  /** The item with a mark on its last part; `undefined` where it has none. */
  marked(item: Item): Item | undefined
}

/** The items of a prompt, all in parts, with a breakpoint wherever the plan has a mark. */
export function markEnds<Item>(
  items: readonly Item[],
  plan: readonly CacheMark[],
  { instructions, isAnswer, inParts, marked }: ItemForm<Item>,
): Item[] {
  const all = items.map(inParts)
  const previous = previousEnd(items, isAnswer)
  const ends: Record<CacheMark, number> = { instruction: instructions - 1, previous, end: items.length - 1 }
  for (const mark of plan) {
    // If a message cannot be marked, the message before it is marked, and in the next request too.
    for (let index = ends[mark]; index >= 0; index--) {
      const item = items[index] as Item
      const withMark = isAnswer(item) ? undefined : marked(inParts(item))
      if (!withMark) continue
      all[index] = withMark
      break
    }
  }
  return all
}

/** The last item of the request that the last answer was given to; -1 without one. */
function previousEnd<Item>(items: readonly Item[], isAnswer: (item: Item) => boolean): number {
  const answer = items.findLastIndex(isAnswer)
  return answer === -1 ? -1 : items.findLastIndex((item, index) => index < answer && !isAnswer(item))
}
