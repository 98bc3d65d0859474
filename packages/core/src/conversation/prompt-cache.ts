import type { CacheOption } from '../contracts/cache-option.ts'
import type { CacheMark, CachePlan, ModelRequest, ToolSpec } from '../contracts/model.ts'
import type { Message } from '../data/message.ts'
import { estimateMessage, estimateRequest } from '../tokens/estimate-tokens.ts'
import { isDeepEqual } from '../util/json/deep-equal.ts'
import { sha256 } from '../util/text/sha256.ts'
import type { Compaction } from './compacted-view.ts'

type Prompting = { id: string; cache: CacheOption; storedVersion(): Promise<string | undefined> }

/**
 * The key under which a provider keeps the prompts of a conversation: it routes by it, and shows it in its logs. A run
 * without a session has a conversation of its own.
 */
export async function cacheKey(
  { id, cache, storedVersion }: Prompting,
  { userId, sessionId, runId }: { userId: string; sessionId?: string; runId: string },
): Promise<string | undefined> {
  if (cache === 'off') return undefined
  if (cache !== 'auto') return cache.key
  const parts = [id, (await storedVersion()) ?? null, userId, sessionId ?? null, sessionId === undefined ? runId : null]
  return sha256(JSON.stringify(parts), 'base64url').slice(0, 32)
}

const marks: readonly CacheMark[] = Object.freeze<CacheMark[]>(['instruction', 'previous', 'end'])

/**
 * What of a request is worth caching. Writing to a cache costs, so a question that no later request repeats has no plan:
 * one without tools, history and session.
 *
 * @param key of the conversation; `undefined` where nothing is to be cached
 * @param isKept whether a later run continues the conversation
 * @param finalTool the tool that takes the answer: calling it ends the run
 */
export function planCache(
  { messages, tools = [] }: ModelRequest,
  { key, isKept, finalTool }: { key: string | undefined; isKept: boolean; finalTool: string | undefined },
): CachePlan | undefined {
  if (key === undefined) return undefined
  const isRepeated =
    isKept || tools.some(({ name }) => name !== finalTool) || messages.some(({ role }) => role === 'assistant')
  return isRepeated ? { key, marks } : undefined
}

/** A request that was answered. */
export type AnsweredRequest = {
  request: ModelRequest
  inputTokens: number | undefined
  cachedInputTokens: number | undefined
  compaction: Compaction
  /** How many of its messages are not stored. */
  unstored: number
  /** The notes before its question. */
  notes: string | undefined
}

/** What is stored of an answered request with a run that waits. Plain JSON. */
export type StoredPrompt = {
  /** The names of its tools. */
  tools: string
  /** A hash of its instruction. Absent where an earlier version has stored it. */
  instruction?: string
  tokens: number
  compaction: Compaction
  unstored: number
  /** A hash of the notes before its question. Absent where an earlier version has stored it. */
  notes?: string
  /** Of a request that a hook may have changed: its messages. */
  messages?: { count: number; hash: string }
  /** Other runs have changed the session since. */
  isMoved?: true
}

/** @param isHooked whether a hook may change messages of requests: those of the session never change */
export function storedPrompt(
  { request, inputTokens, compaction, unstored, notes }: AnsweredRequest,
  isHooked: boolean,
): StoredPrompt {
  const { messages } = request
  return {
    tools: namesOf(request),
    instruction: hashOf(instructionOf(request)),
    tokens: inputTokens ?? estimateRequest(request),
    compaction,
    unstored,
    notes: hashOf(notes),
    ...(isHooked && { messages: { count: messages.length, hash: hashOf(messages) } }),
  }
}

/**
 * A sentence where a request does not begin with the one before it: what providers had cached of that one was read again
 * from where they differ.
 */
export function rereadWarning(
  step: number,
  before: AnsweredRequest | StoredPrompt,
  now: AnsweredRequest,
): string | undefined {
  const change = 'request' in before ? firstChange(before, now) : changeSince(before, now)
  if (!change) return undefined
  const known = 'request' in before ? before.inputTokens : before.tokens
  const tokens = tokensAgain(known ?? estimateRequest(now.request), change.share, now)
  return `Step ${step}: ${change.what}; ${tokens.toLocaleString('en')} tokens were read again.`
}

/** What changed, and the share of the earlier prompt that comes after it. */
type Change = { what: string; share: number }

/** Where two requests begin to differ. Tools precede all messages in a prompt. */
function firstChange({ request: one, compaction }: AnsweredRequest, now: AnsweredRequest): Change | undefined {
  const other = now.request
  if (!areSame(one.tools, other.tools)) return { what: 'the tools changed', share: 1 }
  if (one.output !== other.output && !isDeepEqual(one.output, other.output)) {
    return { what: 'the form of the answer changed', share: 1 }
  }
  // Messages are immutable, and mostly the same objects: only hooks make copies.
  const at = one.messages.findIndex((message, index) => {
    const same = other.messages[index]
    return message !== same && !isDeepEqual(message, same)
  })
  if (at === -1) return undefined
  const begins = one.messages.slice(0, at).reduce((tokens, message) => tokens + estimateMessage(message), 0)
  const share = 1 - begins / estimateRequest(one)
  if (one.messages[at]?.role === 'system') return { what: 'the instruction changed', share }
  return { what: compaction === now.compaction ? 'earlier messages changed' : shortened, share }
}

const shortened = 'the conversation was shortened'

/** The same for a request of which only this was stored. */
function changeSince(
  before: StoredPrompt,
  { request, compaction, unstored, notes }: AnsweredRequest,
): Change | undefined {
  if (before.isMoved) return { what: 'other runs changed the session', share: 1 }
  if (before.tools !== namesOf(request)) return { what: 'the tools changed', share: 1 }
  if (before.instruction !== undefined && before.instruction !== hashOf(instructionOf(request))) {
    return { what: 'the instruction changed', share: 1 }
  }
  if (before.notes !== undefined && before.notes !== hashOf(notes)) return { what: 'the notes changed', share: 1 }
  const isShorter = unstored < before.unstored || !isDeepEqual(before.compaction, compaction)
  if (isShorter) return { what: shortened, share: 1 }
  const { count, hash } = before.messages ?? { count: 0, hash: undefined }
  if (hash === undefined || hash === hashOf(request.messages.slice(0, count))) return undefined
  return { what: 'earlier messages changed', share: 1 }
}

function areSame(one: readonly ToolSpec[] = [], other: readonly ToolSpec[] = []): boolean {
  if (one === other) return true
  const isSame = (tool: ToolSpec, index: number): boolean => tool === other[index] || isDeepEqual(tool, other[index])
  return one.length === other.length && one.every(isSame)
}

function namesOf({ tools = [] }: ModelRequest): string {
  return tools.map(({ name }) => name).join(' ')
}

function instructionOf({ messages }: ModelRequest): readonly Message[] {
  return messages.slice(0, 1).filter(({ role }) => role === 'system')
}

function hashOf(part: unknown): string {
  return sha256(JSON.stringify(part ?? null), 'base64url').slice(0, 22)
}

/** The tokens of the new prompt that the provider had read before and did not read from its cache. */
function tokensAgain(before: number, share: number, { inputTokens, cachedInputTokens }: AnsweredRequest): number {
  const both = Math.min(before, inputTokens ?? before)
  return Math.max(1, Math.round(cachedInputTokens === undefined ? both * share : both - cachedInputTokens))
}
