import { createHash } from 'node:crypto'
import { type ModelRequest, toolCalls } from '@agentkit/core'
import { scrubbed } from './scrub.ts'

/** What `record` and `replay` take. */
export type CassetteOptions = {
  /**
   * Takes out of a request what varies from run to run, such as today's date in an instruction. It is given a copy. What
   * is recorded is compared through it too.
   */
  normalize?: (request: ModelRequest) => ModelRequest
}

/**
 * A request as it is recorded and compared: plain data with sorted keys, secrets scrubbed; files, images and opaque data
 * by their hash. Doing it twice changes nothing more.
 */
export function canonicalRequest(request: ModelRequest, { normalize }: CassetteOptions = {}): ModelRequest {
  const copy = JSON.parse(JSON.stringify(request)) as ModelRequest // plain data, by the type's contract
  const { messages, ...rest } = normalize ? normalize(copy) : copy
  return scrubbed(tidy({ ...rest, messages: messages.map(({ v: _, ...message }) => message) })) as ModelRequest
}

/**
 * What two requests must share to be the same call: all but what one run and the next may differ in. That is the ids of
 * calls, made up by providers, and the bound that what is left of a budget sets for the answer.
 */
export function looseKey(canonical: ModelRequest): string {
  const { maxOutputTokens: _, ...rest } = canonical
  const ids = new Set(canonical.messages.flatMap((message) => callIdsOf(message)))
  const places = [...ids].map((id, index) => [id, `call-${index + 1}`] as const)
  // Longest first: an id that begins another one must not leave the rest of it.
  places.sort(([one], [other]) => other.length - one.length)
  let key = JSON.stringify(rest)
  for (const [id, place] of places) {
    key = key.replaceAll(`"callId":${JSON.stringify(id)}`, `"callId":"${place}"`)
    // Results name calls too. A short id may be any word.
    if (id.length >= 8) key = key.replaceAll(JSON.stringify(id).slice(1, -1), place)
  }
  return key
}

function callIdsOf(message: ModelRequest['messages'][number]): string[] {
  if (message.role === 'tool') return [message.callId]
  return message.role === 'assistant' ? toolCalls(message).map(({ callId }) => callId) : []
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, child]) => [key, tidyField(value, key, child)]))
}

function tidyField(parent: object, key: string, child: unknown): unknown {
  const isFile = key === 'base64' && 'type' in parent && typeof child === 'string'
  const isOpaque = key === 'data' && 'owner' in parent
  return isFile || isOpaque ? hashOf(child) : tidy(child)
}

/** Nobody reads it, and it is only compared. */
function hashOf(value: unknown): string {
  if (typeof value === 'string' && /^sha256:[0-9a-f]{32}$/.test(value)) return value
  const text = JSON.stringify(scrubbed(tidy(value)))
  return `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}
