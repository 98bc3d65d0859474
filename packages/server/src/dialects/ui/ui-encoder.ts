import type { AgentEvent, Citation, RunFinishReason } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { publicEvent } from '../../answer/public-event.ts'
import { approvalRef } from '../common/run-approvals.ts'
import { callIdOf } from '../common/tool-call-id.ts'

export type UIEncoderOptions = {
  /** The speakers of a run that continues. */
  speakers?: Speakers
  /** The member whose words are the answer, of `Runnable.speaker`. */
  speaker?: string | undefined
  /** Calls (see `toolCallId`) that the client shows already: the stream continues their message. */
  calls?: Iterable<string>
  /** Calls that a person has refused. */
  denied?: Iterable<string>
}

type Chunk = { type: string; [field: string]: unknown }
type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

/**
 * Encodes the events of one run as the UI message stream of the AI SDK, with the types that its versions 6 and 7 share.
 * Parts are opened and closed in order: a version rejects a delta to a block that was open over `finish-step`.
 *
 * Source: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
export function uiEncoder({
  speakers = new Speakers(),
  speaker,
  calls,
  denied = [],
}: UIEncoderOptions = {}): EncodeEvent {
  const shown = new Set(calls)
  /** Calls that are shown, have no result, and wait for no decision. */
  const running = new Set<string>()
  const refused = new Set(denied)
  let hasBegun = false
  let hasText = false
  let hasMemberText = false
  let hasEnded = false
  let isInStep = false
  /** Whether the last step that the client shows has calls. */
  let hasCalls = false
  let blocks = 0
  let open: { kind: 'text' | 'reasoning'; id: string } | undefined

  const begin = (runId: string): Chunk[] => {
    if (hasBegun) return []
    hasBegun = true
    return [{ type: 'start', messageId: runId, messageMetadata: { runId } }]
  }
  const closeBlock = (): Chunk[] => {
    const closed = open
    open = undefined
    return closed ? [{ type: `${closed.kind}-end`, id: closed.id }] : []
  }
  const closeStep = (): Chunk[] => {
    const chunks = closeBlock()
    if (isInStep) chunks.push({ type: 'finish-step' })
    isInStep = false
    return chunks
  }
  const beginStep = (): Chunk[] => {
    const chunks = closeStep()
    isInStep = true
    hasCalls = false
    return [...chunks, { type: 'start-step' }]
  }
  const add = (kind: 'text' | 'reasoning', delta: string): Chunk[] => {
    const chunks = open?.kind === kind ? [] : closeBlock()
    if (!open) {
      open = { kind, id: `${kind}-${++blocks}` }
      chunks.push({ type: `${kind}-start`, id: open.id })
    }
    if (kind === 'text') hasText = true
    chunks.push({ type: `${kind}-delta`, id: open.id, delta })
    return chunks
  }
  const showCall = (event: Of<'tool-call'> | Of<'approval-request'>): Chunk[] => {
    const { name, input } = event
    const id = callIdOf(event)
    shown.add(id)
    running.add(id)
    hasCalls = true
    const call = { toolCallId: id, toolName: name, dynamic: true }
    return [
      ...closeBlock(),
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-available', ...call, input: input ?? {} },
    ]
  }
  const requestApproval = (event: Of<'approval-request'>): Chunk[] => {
    const id = callIdOf(event)
    // A member's call is shown once a person has to decide on it.
    const chunks = shown.has(id) ? closeBlock() : showCall(event)
    running.delete(id)
    // The page executes the call that it shows: it answers by the call's output.
    if (event.kind === 'client-tool') return chunks
    return [
      ...chunks,
      { type: 'tool-approval-request', approvalId: approvalRef(event.runId, event.approvalId), toolCallId: id },
    ]
  }
  const showResult = (event: Of<'tool-result'>): Chunk[] => {
    const { output, isError } = event
    const id = callIdOf(event)
    running.delete(id)
    hasCalls = true
    if (refused.has(id)) return [{ type: 'tool-output-denied', toolCallId: id }]
    const call = { toolCallId: id, dynamic: true }
    if (isError) return [{ type: 'tool-output-error', ...call, errorText: String(output) }]
    return [{ type: 'tool-output-available', ...call, output: output ?? null }, ...imagesIn(output)]
  }
  /**
   * A client sends decisions once every call of the step has a result or a decision, and calls of members wait for theirs.
   * The result that they have later replaces this one.
   */
  const suspendCalls = (): Chunk[] =>
    [...running].map((id) => ({
      ...{ type: 'tool-output-available', toolCallId: id, dynamic: true },
      output: 'It waits for a decision.',
    }))
  const ended = (event: Of<'run-end'>): Chunk[] => {
    hasEnded = true
    const { finishReason, text, error } = event
    if (finishReason === 'aborted') return [...closeStep(), { type: 'abort' }]
    if (finishReason === 'error') {
      return [...closeStep(), { type: 'error', errorText: error?.message ?? 'The run failed.' }]
    }
    if (finishReason === 'approval') return [...suspendCalls(), ...closeStep(), finish(event)]
    // A page that answers calls of client tools would answer the calls of the last step, and send the message again.
    const apart = hasCalls ? beginStep() : []
    // The answer, if no step has streamed it.
    const whole = hasText || text === '' ? [] : add('text', text)
    return [...apart, ...whole, ...closeStep(), finish(event)]
  }

  /** The chunks of the member whose text is the answer. Its calls and results are sent as data of the run. */
  const wordsOf = (event: AgentEvent): Chunk[] => {
    if (speaker === undefined || event.path.length !== 2 || event.path[1] !== speaker) return []
    switch (event.type) {
      case 'step-restart':
        return [...closeBlock(), { type: 'data-step-restart', data: { step: event.step } }]
      case 'text-delta':
        hasMemberText = true
        return add('text', event.text)
      case 'step-end':
        return closeBlock()
      default:
        return []
    }
  }

  const chunksOf = (event: AgentEvent): Chunk[] => {
    const isShown = speakers.isShown(event)
    switch (event.type) {
      case 'run-start':
        return []
      case 'run-end':
        return ended(event)
      case 'source':
        return [sourceChunk(event.source)]
      case 'approval-request':
        return requestApproval(event)
    }
    // In a continued message, the client shows calls of which this stream knows nothing.
    if (event.type === 'tool-result' && (shown.has(callIdOf(event)) || (isShown && calls))) return showResult(event)
    if (!isShown) return [...wordsOf(event), dataChunk(event)]
    switch (event.type) {
      case 'step-start':
        return beginStep()
      case 'step-restart':
        return [...closeBlock(), { type: 'data-step-restart', data: { step: event.step } }]
      case 'text-delta':
        // The answer of the sequence is what its last member has said.
        return hasMemberText && event.path.length === 1 ? [] : add('text', event.text)
      case 'reasoning-delta':
        return add('reasoning', event.text)
      case 'tool-call':
        return showCall(event)
      case 'tool-result':
        return []
      case 'step-end':
        return closeStep()
      default:
        return [dataChunk(event)]
    }
  }

  const encode = (event: AgentEvent): string => {
    if (hasEnded) return ''
    const chunks = [...begin(event.runId), ...chunksOf(publicEvent(event))]
    return chunks.map(frame).join('') + (hasEnded ? 'data: [DONE]\n\n' : '')
  }
  const cut = (): string => {
    const errorText = 'The server is shutting down. The answer continues: reload the page to read it.'
    return `${[...closeStep(), { type: 'error', errorText }].map(frame).join('')}data: [DONE]\n\n`
  }
  return Object.assign(encode, { cut })
}

function finish({ runId, finishReason, usage, cost }: Of<'run-end'>): Chunk {
  const messageMetadata = { runId, finishReason, usage, cost: cost?.usd ?? null }
  return { type: 'finish', finishReason: ends[finishReason] ?? 'length', messageMetadata }
}

/** The finish reasons of the AI SDK, which its hook `onFinish` receives. Reasons that are missing here are limits. */
const ends: Partial<Record<RunFinishReason, string>> = {
  ...{ stop: 'stop', 'content-filter': 'content-filter' },
  // The AI SDK's own streams end so while a call waits for a decision.
  approval: 'tool-calls',
}

/** One Server-Sent Event. Values of tools may not be representable as JSON. */
function frame(chunk: Chunk): string {
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
function dataChunk(event: AgentEvent): Chunk {
  return { type: 'data-agentkit', data: event, transient: true }
}

/** The images of a tool's result, so that clients that know no tools show them. */
function imagesIn(output: unknown): Chunk[] {
  if (!Array.isArray(output)) return []
  return output.flatMap((part: unknown): Chunk[] => {
    if (typeof part !== 'object' || part === null || !('type' in part) || part.type !== 'image') return []
    const { base64, url, mediaType = 'image/png' } = part as { base64?: unknown; url?: unknown; mediaType?: unknown }
    if (typeof mediaType !== 'string') return []
    if (typeof base64 === 'string') return [{ type: 'file', mediaType, url: `data:${mediaType};base64,${base64}` }]
    return typeof url === 'string' ? [{ type: 'file', mediaType, url }] : []
  })
}

function sourceChunk(source: Citation): Chunk {
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
