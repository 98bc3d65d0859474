import type { ImagePart, JSONValue, Message, TextPart, UserPart } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'

/** An earlier message as a client has it. A message of the assistant is one step, with its calls that have a result. */
export type EarlierMessage = { role: string; content: string | UserPart[]; calls?: readonly FinishedCall[] }

/** A tool call as a client shows it, and its output. */
export type FinishedCall = { callId: string; name: string; input: unknown; output: unknown; isError: boolean }

/**
 * The earlier messages of a conversation. Messages of other roles are left out.
 *
 * The history begins with the first message of the user, because models reject a greeting before it. They also reject
 * messages without content.
 */
export function toHistory(entries: readonly EarlierMessage[]): Message[] {
  const history: Message[] = []
  const callIds = new Set<string>()
  for (const { role, content, calls = [] } of entries) {
    if (role === 'user' && content.length > 0) history.push({ v: 1, role, content })
    if (role !== 'assistant' || history.length === 0) continue
    // The calls of members have the path in their ids: the agent has not made them.
    const own = calls.filter(({ callId }) => {
      const isNew = !/^$|\//.test(callId) && !callIds.has(callId)
      if (isNew) callIds.add(callId)
      return isNew
    })
    history.push(...stepOf(typeof content === 'string' ? content : '', own))
  }
  return history
}

/** Leaves out images and files if the agent refuses them: a session that has a history needs none. */
export function acceptedHistory(history: readonly Message[], acceptsImages = true): Message[] {
  if (acceptsImages) return [...history]
  return history.flatMap((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return [message]
    const content = message.content.filter(({ type }) => type === 'text')
    return content.length > 0 ? [{ ...message, content }] : []
  })
}

function stepOf(text: string, calls: readonly FinishedCall[]): Message[] {
  const said = text === '' ? [] : [{ type: 'text' as const, text }]
  // Parsed from JSON.
  const made = calls.map(({ callId, name, input }) => {
    return { type: 'tool-call' as const, callId, name, input: (isRecord(input) ? input : {}) as JSONValue }
  })
  if (said.length + made.length === 0) return []
  const results = calls.map(({ callId, name, output, isError }): Message => {
    return { v: 1, role: 'tool', callId, name, content: resultOf(output), ...(isError && { isError }) }
  })
  return [{ v: 1, role: 'assistant', content: [...said, ...made] }, ...results]
}

/**
 * The result as text, because a model reads JSON as text. An image stays an image: as text it would be long, and a
 * model would not see it.
 */
function resultOf(output: unknown): string | (TextPart | ImagePart)[] {
  if (typeof output === 'string') return output
  if (Array.isArray(output) && output.length > 0 && output.every(isPart)) return output.map(plainPart)
  return JSON.stringify(output ?? null)
}

function isPart(part: unknown): part is TextPart | ImagePart {
  if (!isRecord(part)) return false
  if (part.type === 'text') return typeof part.text === 'string'
  return part.type === 'image' && typeof part.base64 === 'string' && typeof part.mediaType === 'string'
}

function plainPart(part: TextPart | ImagePart): TextPart | ImagePart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { base64 = '', mediaType = '' } = part
  return { type: 'image', base64, mediaType }
}
