import type { Citation } from '@agentkit/core'

/** An item of a response: plain JSON, as OpenAI defines it. */
export type Item = { id: string; type: string; [field: string]: unknown }
/** An event of a stream of Responses, without its number. */
export type Frame = { type: string; [field: string]: unknown }

/** Which item of the stream an event belongs to. */
type Place = { item_id: string; output_index: number }

/** Items that grow: the text of a step, or its reasoning. */
export type BlockKind = 'message' | 'reasoning'

export function newBlock(kind: BlockKind, id: string): Item {
  const item = { id, type: kind, status: 'in_progress' }
  return kind === 'message' ? { ...item, role: 'assistant', content: [] } : { ...item, summary: [] }
}

/** The event that begins the only part of a block's item. */
export function blockBegin(kind: BlockKind, place: Place): Frame {
  return kind === 'message'
    ? { type: 'response.content_part.added', ...place, content_index: 0, part: textPart('', []) }
    : { type: 'response.reasoning_summary_part.added', ...place, summary_index: 0, part: summaryPart('') }
}

/** The events that begin a call. @param text its arguments */
export function callBegin(place: Place, text: string): Frame[] {
  return [
    { type: 'response.mcp_call.in_progress', ...place },
    { type: 'response.mcp_call_arguments.delta', ...place, delta: text },
    { type: 'response.mcp_call_arguments.done', ...place, arguments: text },
  ]
}

/** The events that end a text. */
export function textEnd(place: Place, text: string, annotations: readonly object[]): Frame[] {
  const at = { ...place, content_index: 0 }
  return [
    ...annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: textPart(text, annotations) },
  ]
}

/** The events that end a summary of reasoning. */
export function summaryEnd(place: Place, text: string): Frame[] {
  const at = { ...place, summary_index: 0 }
  return [
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part: summaryPart(text) },
  ]
}

/** The number of an item in its run, which its id ends with; approvals stay, whatever is tried again. */
export function indexOf({ id, type }: Item): number {
  return type === 'mcp_approval_request' ? -1 : Number(id.slice(id.lastIndexOf('_') + 1))
}

export function textPart(text: string, annotations: readonly object[]): object {
  return { type: 'output_text', text, annotations, logprobs: [] }
}

export function summaryPart(text: string): object {
  return { type: 'summary_text', text }
}

export function citation({ chunkId, file }: Citation, text: string): object {
  return { type: 'file_citation', file_id: chunkId, filename: file, index: text.length }
}

/** Values of tools may have no JSON form. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return '"This value has no JSON form."'
  }
}

/** Parses arguments that `jsonOf` has written. */
export function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : {}
}
