import type { AssistantMessage, JSONValue, ToolCallPart } from '@agentkit/core'
import { wireCallId } from '../messages/call-ids.ts'
import { wellFormed } from '../messages/text.ts'
import { isRecord } from '../util/json.ts'

type Detail = { [name: string]: JSONValue }

/** The data of reasoning that its model gets back in the field in which it arrived. */
export const reasoningContent = { field: 'reasoning_content' } as const

const extraContent = 'extra_content'

/** The data of a call: servers of Gemini's models put the signature of its thoughts there, and refuse the call without it. */
export function extraContentData({ extraContent: content }: { extraContent?: JSONValue }): JSONValue | undefined {
  return content === undefined ? undefined : { field: extraContent, content }
}

/** @param owner `provider/model` that gets back what it has sent */
export function returnedExtraContent({ opaque }: ToolCallPart, owner: string): { extra_content?: JSONValue } {
  const data = opaque?.owner === owner ? opaque.data : undefined
  if (!isRecord(data) || data.field !== extraContent) return {}
  return { extra_content: (data.content ?? {}) as JSONValue } // a part of stored JSON
}

/** The `reasoning_details` of one answer, as gateways such as OpenRouter send them: the pieces of a text are joined. */
export class ReasoningDetails {
  readonly #details: Detail[] = []

  add(piece: unknown): void {
    if (!isRecord(piece)) return
    // Parsed from JSON.
    const detail = piece as Detail
    const last = this.#details.at(-1)
    const name = detail.type === 'reasoning.text' ? 'text' : detail.type === 'reasoning.summary' ? 'summary' : undefined
    if (last && name !== undefined && last.type === detail.type && last.index === detail.index) {
      Object.assign(last, withoutNulls(detail), { [name]: `${last[name] ?? ''}${detail[name] ?? ''}` })
    } else this.#details.push({ ...detail })
  }

  /** The details that are stored with the answer. */
  get data(): { field: 'reasoning_details'; details: Detail[] } | undefined {
    return this.#details.length === 0 ? undefined : { field: 'reasoning_details', details: this.#details }
  }
}

function withoutNulls(detail: Detail): Detail {
  return Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== null))
}

type Returned = { reasoning_content?: string; reasoning_details?: Detail[] }

const nothing: Returned = Object.freeze({})

/**
 * The fields of a message in which its model gets back its reasoning.
 * @param owner `provider/model`
 */
export function returnedReasoning({ content }: AssistantMessage, owner: string, longestCallId: number): Returned {
  if (!content.some(({ type }) => type === 'reasoning')) return nothing
  let text = ''
  const details: Detail[] = []
  const callIds = new Set(content.flatMap((part) => (part.type === 'tool-call' ? part.callId : [])))
  for (const part of content) {
    if (part.type !== 'reasoning' || part.opaque?.owner !== owner || !isRecord(part.opaque.data)) continue
    const { field, details: sent } = part.opaque.data
    if (field === reasoningContent.field) text += part.text
    if (field === 'reasoning_details' && Array.isArray(sent))
      details.push(...sent.filter((each): each is Detail => isRecord(each)))
  }
  // Some name the call that they belong to, whose id may be another one on the wire.
  const named = details.map((detail) => {
    const callId = typeof detail.id === 'string' ? wireCallId(detail.id, longestCallId) : ''
    return callIds.has(callId) ? { ...detail, id: callId } : detail
  })
  return {
    ...(text !== '' && { reasoning_content: wellFormed(text) }),
    ...(named.length > 0 && { reasoning_details: named }),
  }
}
