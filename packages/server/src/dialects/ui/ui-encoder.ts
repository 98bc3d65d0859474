import type { AgentEvent } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { publicEvent } from '../../answer/public-event.ts'
import { isSpeaker } from '../common/is-speaker.ts'
import { noResult } from '../common/no-result.ts'
import { approvalRef } from '../common/run-approvals.ts'
import { callIdOf } from '../common/tool-call-id.ts'
import { type Chunk, dataChunk, finish, frame, imagesIn, metadataOf, sourceChunk } from './chunks.ts'
import { OpenParts } from './open-parts.ts'

export type UIEncoderOptions = {
  /** The speakers of a run that continues. */
  speakers?: Speakers
  /** The member whose words are the answer, of `Runnable.speaker`. */
  speaker?: string | undefined
  /** Calls (see `toolCallId`) that the client shows already: the stream continues their message. */
  calls?: Iterable<string>
  /** Calls that a person has refused. */
  denied?: Iterable<string>
  /**
   * Approvals whose decision is stored, by their ids, with their calls: the page does not ask again. With `calls`, only
   * those whose calls have no result yet.
   */
  decided?: Iterable<readonly [approvalId: string, call: string]>
  /** Why the page has no result of a call, in the page's own words. */
  errors?: ReadonlyMap<string, string>
}

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

/**
 * Encodes the events of one run as the UI message stream of the AI SDK, with the types that its versions 6 and 7 share.
 * Parts are opened and closed in order: a version rejects a delta to a block that was open over `finish-step`.
 *
 * Source: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
export function uiEncoder(options: UIEncoderOptions = {}): EncodeEvent {
  const encoder = new UIEncoder(options)
  return Object.assign((event: AgentEvent) => encoder.encode(event), { cut: () => encoder.cut() })
}

class UIEncoder {
  readonly #speakers: Speakers
  readonly #speaker: string | undefined
  /** Whether the stream continues a message, of which the client shows calls that this stream does not know. */
  readonly #isContinued: boolean
  readonly #shown: Set<string>
  /** Calls that are shown, have no result, and wait for no decision. */
  readonly #running = new Set<string>()
  readonly #refused: Set<string>
  readonly #decided: Map<string, string>
  readonly #errors: ReadonlyMap<string, string>
  readonly #parts = new OpenParts()
  #hasBegun = false
  #hasMemberText = false
  #hasEnded = false
  /** Whether the last step that the client shows has calls. */
  #hasCalls: boolean

  constructor(options: UIEncoderOptions) {
    const { speaker, calls, denied = [], decided = [], errors = new Map() } = options
    const { speakers = new Speakers({ speaker }) } = options
    this.#speakers = speakers
    this.#speaker = speaker
    this.#isContinued = calls !== undefined
    this.#shown = new Set(calls)
    this.#hasCalls = this.#isContinued
    this.#refused = new Set(denied)
    this.#decided = new Map(decided)
    this.#errors = errors
  }

  encode(event: AgentEvent): string {
    if (this.#hasEnded) return ''
    const chunks = [...this.#begin(event.runId), ...this.#chunksOf(publicEvent(event))]
    return chunks.map(frame).join('') + (this.#hasEnded ? 'data: [DONE]\n\n' : '')
  }

  cut(): string {
    const errorText = 'The server is shutting down. The answer continues: reload the page to read it.'
    return `${[...this.#parts.closeStep(), { type: 'error', errorText }].map(frame).join('')}data: [DONE]\n\n`
  }

  #begin(runId: string): Chunk[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return [{ type: 'start', messageId: runId, messageMetadata: { runId } }]
  }

  #chunksOf(event: AgentEvent): Chunk[] {
    const isShown = this.#speakers.isShown(event)
    switch (event.type) {
      case 'run-start':
        return []
      case 'run-end':
        return this.#end(event)
      case 'source':
        return [sourceChunk(event.source)]
      case 'approval-request':
        return this.#requestApproval(event)
    }
    const isOfShown = (call: Of<'tool-result'>): boolean =>
      this.#shown.has(callIdOf(call)) || (isShown && this.#isContinued)
    if (event.type === 'tool-result' && isOfShown(event)) return this.#showResult(event)
    if (!isShown) return [...this.#memberText(event), dataChunk(event)]
    switch (event.type) {
      case 'step-start':
        return this.#beginStep()
      case 'step-restart':
        return [...this.#parts.closeBlock(), { type: 'data-step-restart', data: { step: event.step } }]
      case 'text-delta':
        // The answer of a sequence is the text of its last member.
        return this.#hasMemberText && event.path.length === 1 ? [] : this.#parts.add('text', event.text)
      case 'reasoning-delta':
        return this.#parts.add('reasoning', event.text)
      case 'tool-call':
        return this.#showCall(event)
      case 'tool-result':
        return []
      case 'step-end':
        return this.#parts.closeStep()
      default:
        return [dataChunk(event)]
    }
  }

  /** The chunks of the member whose text is the answer. Its calls and results are sent as data of the run. */
  #memberText(event: AgentEvent): Chunk[] {
    if (!isSpeaker(event, this.#speaker)) return []
    switch (event.type) {
      case 'step-restart':
        return [...this.#parts.closeBlock(), { type: 'data-step-restart', data: { step: event.step } }]
      case 'text-delta':
        this.#hasMemberText = true
        return this.#parts.add('text', event.text)
      case 'step-end':
        return this.#parts.closeBlock()
      default:
        return []
    }
  }

  #beginStep(): Chunk[] {
    this.#hasCalls = false
    return this.#parts.beginStep()
  }

  #showCall(event: Of<'tool-call'> | Of<'approval-request'>): Chunk[] {
    const { name, input } = event
    const id = callIdOf(event)
    this.#shown.add(id)
    this.#running.add(id)
    this.#hasCalls = true
    const call = { toolCallId: id, toolName: name, dynamic: true }
    return [
      ...this.#parts.closeBlock(),
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-available', ...call, input: input ?? {} },
    ]
  }

  #requestApproval(event: Of<'approval-request'>): Chunk[] {
    const id = callIdOf(event)
    // A member's call is shown once a person has to decide on it.
    const chunks = this.#shown.has(id) ? this.#parts.closeBlock() : this.#showCall(event)
    // A page that reads the stream again shows a decided call as one that runs. Another approval of the call is open: its
    // process died, and its outcome is unknown.
    if (this.#decided.has(event.approvalId)) return chunks
    this.#running.delete(id)
    // The page executes the call that it shows: it answers by the call's output.
    if (event.kind === 'client-tool') return chunks
    return [
      ...chunks,
      { type: 'tool-approval-request', approvalId: approvalRef(event.runId, event.approvalId), toolCallId: id },
    ]
  }

  #showResult(event: Of<'tool-result'>): Chunk[] {
    const { output, isError } = event
    const id = callIdOf(event)
    this.#running.delete(id)
    for (const [approvalId, call] of this.#decided) if (call === id) this.#decided.delete(approvalId)
    this.#hasCalls = true
    if (this.#refused.has(id)) return [{ type: 'tool-output-denied', toolCallId: id }]
    const call = { toolCallId: id, dynamic: true }
    if (isError) return [{ type: 'tool-output-error', ...call, errorText: this.#errors.get(id) ?? String(output) }]
    return [{ type: 'tool-output-available', ...call, output: output ?? null }, ...imagesIn(output)]
  }

  #end(event: Of<'run-end'>): Chunk[] {
    this.#hasEnded = true
    const { finishReason, text, error } = event
    if (finishReason === 'approval') return [...this.#suspendCalls(), ...this.#parts.closeStep(), finish(event)]
    // A page that answers calls of client tools would answer the calls of the last step, and send the message again.
    const apart = [...this.#endCalls(), ...(this.#hasCalls ? this.#beginStep() : [])]
    if (finishReason === 'aborted') {
      // A client takes over a step that has begun with the next chunk that has something to show.
      const shown = { type: 'message-metadata', messageMetadata: metadataOf(event) }
      return [...apart, shown, ...this.#parts.closeStep(), { type: 'abort' }]
    }
    if (finishReason === 'error') {
      const errorText = error?.message ?? 'The run failed.'
      return [...apart, ...this.#parts.closeStep(), { type: 'error', errorText }]
    }
    // The answer, if no step has streamed it.
    const whole = this.#parts.hasText || text === '' ? [] : this.#parts.add('text', text)
    return [...apart, ...whole, ...this.#parts.closeStep(), finish(event)]
  }

  /**
   * A client sends decisions once every call of the step has a result or a decision, and calls of members wait for theirs.
   * The result that they have later replaces this one.
   */
  #suspendCalls(): Chunk[] {
    return [...this.#running].map((id) => ({
      ...{ type: 'tool-output-available', toolCallId: id, dynamic: true },
      output: 'It waits for a decision.',
    }))
  }

  /** Calls that a budget, a deadline or an abort has stopped get no result. */
  #endCalls(): Chunk[] {
    const end = { type: 'tool-output-error', dynamic: true, errorText: noResult }
    // A client would send the decisions on calls without an end again.
    const open = new Set([...this.#running, ...(this.#isContinued ? this.#decided.values() : [])])
    return [...open].map((toolCallId) =>
      this.#refused.has(toolCallId) ? { type: 'tool-output-denied', toolCallId } : { ...end, toolCallId },
    )
  }
}
