import type { AgentEvent, Citation, RunFinishReason } from '@agentkit/core'

/** A part of the UI message stream of the AI SDK. */
export type Chunk = { type: string; [field: string]: unknown }

type RunEnd = Extract<AgentEvent, { type: 'run-end' }>

export function finish(event: RunEnd): Chunk {
  return { type: 'finish', finishReason: ends[event.finishReason] ?? 'length', messageMetadata: metadataOf(event) }
}

export function metadataOf({ runId, finishReason, usage, cost }: RunEnd): object {
  return { runId, finishReason, usage, cost: cost?.usd ?? null }
}

/** The finish reasons of the AI SDK, which its hook `onFinish` receives. Reasons that are missing here are limits. */
const ends: Partial<Record<RunFinishReason, string>> = {
  ...{ stop: 'stop', 'content-filter': 'content-filter' },
  // The AI SDK's own streams end so while a call waits for a decision.
  approval: 'tool-calls',
}

/** One Server-Sent Event. Values of tools may not be representable as JSON. */
export function frame(chunk: Chunk): string {
  try {
    return `data: ${JSON.stringify(chunk)}\n\n`
  } catch {
    const { type, toolCallId, dynamic } = chunk
    const errorText = 'This value has no JSON form.'
    if (type !== 'tool-output-available') return ''
    return `data: ${JSON.stringify({ type: 'tool-output-error', toolCallId, dynamic, errorText })}\n\n`
  }
}

/** A chunk that only some clients show. It is not part of a message. */
export function dataChunk(event: AgentEvent): Chunk {
  return { type: 'data-agentkit', data: event, transient: true }
}

/** The images of a tool's result, so that clients that know no tools show them. */
export function imagesIn(output: unknown): Chunk[] {
  if (!Array.isArray(output)) return []
  return output.flatMap((part: unknown): Chunk[] => {
    if (typeof part !== 'object' || part === null || !('type' in part) || part.type !== 'image') return []
    const { base64, url, mediaType = 'image/png' } = part as { base64?: unknown; url?: unknown; mediaType?: unknown }
    if (typeof mediaType !== 'string') return []
    if (typeof base64 === 'string') return [{ type: 'file', mediaType, url: `data:${mediaType};base64,${base64}` }]
    return typeof url === 'string' ? [{ type: 'file', mediaType, url }] : []
  })
}

export function sourceChunk(source: Citation): Chunk {
  const { file, chunkId, heading } = source
  return {
    type: 'source-document',
    sourceId: chunkId,
    mediaType: mediaTypes.get(file.split('.').at(-1)?.toLowerCase() ?? '') ?? 'text/plain',
    title: heading === undefined ? file : `${file}: ${heading}`,
    filename: file,
    providerMetadata: { agentkit: source },
  }
}

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['md', 'text/markdown'],
  ['mdx', 'text/markdown'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
])
