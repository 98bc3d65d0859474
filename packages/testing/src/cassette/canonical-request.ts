import { createHash } from 'node:crypto'
import { type ModelRequest, toolCalls } from '@agentkit/core'
import { invalidArgument, isRecord, type OptionRule } from '@agentkit/core/internal'
import { scrubbed } from './scrub.ts'

/** The options of `record` and `replay`. */
export type CassetteOptions = {
  /**
   * Removes from a request what varies from run to run, such as today's date in an instruction. Receives a copy. Recorded
   * requests are compared through it too.
   */
  normalize?: (request: ModelRequest) => ModelRequest
}

/**
 * The form in which a request is recorded and compared: plain data with sorted keys and scrubbed secrets; files, images
 * and opaque data as hashes. Idempotent.
 */
export function canonicalRequest(request: ModelRequest, { normalize }: CassetteOptions = {}): ModelRequest {
  const copy = JSON.parse(JSON.stringify(request)) as ModelRequest // plain data, by the type's contract
  // How it is cached, and whether its answer is shown while it is written, does not change its answer.
  const { messages, cache: _cache, answerTool: _answerTool, ...rest } = normalize ? normalized(copy, normalize) : copy
  return scrubbed(canonical({ ...rest, messages: messages.map(({ v: _, ...message }) => message) })) as ModelRequest
}

/** The rule of the option `normalize`. */
export const isFunction: OptionRule = { is: 'a function of a request', holds: (value) => typeof value === 'function' }

function normalized(copy: ModelRequest, normalize: (request: ModelRequest) => ModelRequest): ModelRequest {
  const request: unknown = normalize(copy)
  if (isRecord(request) && Array.isArray(request.messages)) return request as ModelRequest // its own, changed
  throw invalidArgument('`normalize` returned no request. Return the one that it was given, changed.')
}

/**
 * The key of a request. Equal keys mean the same call: everything counts except the ids of calls, which providers
 * generate, and the limit that the remaining budget sets for the answer.
 */
export function looseKey(canonical: ModelRequest): string {
  const { maxOutputTokens: _, ...rest } = canonical
  const ids = new Set(canonical.messages.flatMap((message) => callIdsOf(message)))
  const places = [...ids].map((id, index) => [id, `call-${index + 1}`] as const)
  // Longest first: an id that is the prefix of another one must not leave a rest of it.
  places.sort(([one], [other]) => other.length - one.length)
  let key = JSON.stringify(rest)
  for (const [id, place] of places) {
    key = key.replaceAll(`"callId":${JSON.stringify(id)}`, `"callId":"${place}"`)
    // Results contain names of calls too. A short id may be any word.
    if (id.length >= 8) key = key.replaceAll(JSON.stringify(id).slice(1, -1), place)
  }
  return key
}

function callIdsOf(message: ModelRequest['messages'][number]): string[] {
  if (message.role === 'tool') return [message.callId]
  return message.role === 'assistant' ? toolCalls(message).map(({ callId }) => callId) : []
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, child]) => [key, canonicalField(value, key, child)]))
}

function canonicalField(parent: object, key: string, child: unknown): unknown {
  const isFile = key === 'base64' && 'type' in parent && typeof child === 'string'
  const isOpaque = key === 'data' && 'owner' in parent
  return isFile || isOpaque ? hashOf(child) : canonical(child)
}

/** A hash; it is only compared. */
function hashOf(value: unknown): string {
  if (typeof value === 'string' && /^sha256:[0-9a-f]{32}$/.test(value)) return value
  const text = JSON.stringify(scrubbed(canonical(value)))
  return `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}
