import type { AgentEvent } from '@agentkit/core'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { publicEvent } from '../../answer/public-event.ts'
import { noResult } from '../common/no-result.ts'
import { approvalRef } from '../common/run-approvals.ts'
import type { Frame } from './agent-track.ts'
import { AgentTracks } from './agent-tracks.ts'
import { contentOf, custom, outcomeOf, tokenUsage } from './frames.ts'
import { threadCallId } from './thread-call-id.ts'

export type AGUIEncoderOptions = {
  threadId: string
  /** The client's own. */
  runId: string
  /** Whether the client takes results of tools in parts, not only as texts. */
  takesParts?: boolean
  /** Tools of the client, which are not called. */
  ignoredTools?: readonly string[]
  /** What the user says beside approvals, where no run reads it. */
  ignoredMessage?: string | undefined
  /** Calls (see `threadCallId`) that the client knows: the run continues. */
  calls?: Iterable<string>
  /** The calls whose results the client has: it would show them twice. */
  answered?: Iterable<string>
}

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

/**
 * Encodes the events of one run as events of AG-UI. An AG-UI client accepts an end only when every message, call, step
 * and subagent is closed.
 *
 * Source: https://docs.ag-ui.com/concepts/events
 */
export function aguiEncoder(options: AGUIEncoderOptions): EncodeEvent {
  const encoder = new AGUIEncoder(options)
  return Object.assign((event: AgentEvent) => encoder.encode(event), { cut: () => encoder.cut() })
}

class AGUIEncoder {
  readonly #options: AGUIEncoderOptions
  readonly #tracks = new AgentTracks(() => ++this.#ids)
  readonly #shown: Set<string>
  readonly #given: Set<string>
  /** Calls without a result, by the id under which they are shown. */
  readonly #open = new Map<string, Of<'tool-call'> | Of<'approval-request'>>()
  readonly #openers = new Map<string, string>()
  /** Maps the id of a call to the id under which it was last shown. */
  readonly #shownAs = new Map<string, string>()
  readonly #interrupts: object[] = []
  #hasBegun = false
  #hasText = false
  #hasEnded = false
  #ids = 0

  constructor(options: AGUIEncoderOptions) {
    this.#options = options
    this.#shown = new Set(options.calls)
    this.#given = new Set(options.answered)
  }

  encode(event: AgentEvent): string {
    if (this.#hasEnded) return ''
    return encodeFrames([...this.#begin(event), ...this.#framesOf(publicEvent(event))])
  }

  cut(): string {
    const message = 'The server is shutting down. The run continues.'
    return encodeFrames([
      ...this.#tracks.finish('', { outcome: { type: 'success' } }),
      { type: 'RUN_ERROR', message, code: 'overloaded' },
    ])
  }

  #begin(event: AgentEvent): Frame[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    const { threadId, runId, ignoredTools = [], ignoredMessage: message } = this.#options
    const value = { tools: ignoredTools, ...(message !== undefined && { message }) }
    const ignored = { type: 'CUSTOM', name: 'agentkit.ignored', value }
    return [
      { type: 'RUN_STARTED', threadId, runId, metadata: { runId: event.runId } },
      ...(ignoredTools.length > 0 || message !== undefined ? [ignored] : []),
    ]
  }

  #framesOf(event: AgentEvent): Frame[] {
    switch (event.type) {
      case 'run-start':
        return []
      case 'run-end':
        return this.#end(event)
      case 'agent-start': {
        // A member may be called again: each call is a run of its own.
        const before = this.#tracks.finish(event.path.slice(1).join('/'), { outcome: { type: 'success' } })
        return event.path.length > 1 ? [...before, ...this.#tracks.of(event, event.name).begin()] : before
      }
      case 'agent-end':
        return [
          ...(event.status === 'waiting' ? [] : this.#endCalls(event)),
          ...this.#tracks.finish(event.path.slice(1).join('/'), outcomeOf(event)),
        ]
      case 'step-start':
        return this.#tracks.of(event).step(event.step)
      case 'step-end':
        return this.#tracks.of(event).endStep()
      case 'step-restart':
        return [...this.#tracks.of(event).close(), custom('agentkit.step-restart', { step: event.step })]
      case 'text-delta':
        if (event.path.length === 1) this.#hasText = true
        return event.text === '' ? [] : this.#text(event, event.text)
      case 'reasoning-delta':
        return event.text === '' ? [] : this.#tracks.of(event).reasoning(event.text, () => this.#nextId(event))
      case 'tool-call':
        return this.#showCall(event)
      case 'tool-result':
        return this.#showResult(event)
      case 'source':
        return [custom('agentkit.source', event.source)]
      case 'handoff':
        return [custom('agentkit.handoff', { to: event.to })]
      case 'model-fallback':
        return [custom('agentkit.model-fallback', { from: event.from, to: event.to })]
      case 'approval-request':
        return this.#requestApproval(event)
    }
  }

  #text(event: AgentEvent, text: string): Frame[] {
    return this.#tracks.of(event).text(text, () => this.#nextId(event))
  }

  #showCall(event: Of<'tool-call'> | Of<'approval-request'>): Frame[] {
    const id = this.#idOf(event)
    this.#shown.add(id)
    this.#open.set(id, event)
    this.#shownAs.set(callIdOf(event), id)
    return this.#tracks.of(event).call(id, event.name, JSON.stringify(event.input ?? {}))
  }

  #showResult(event: Of<'tool-result'>): Frame[] {
    if (this.#given.delete(callIdOf(event))) return []
    const id = this.#idOf(event)
    if (!this.#shown.has(id) && event.path.length > 1) return []
    this.#open.delete(id)
    const content = contentOf(event, this.#options.takesParts ?? true)
    return this.#tracks.of(event).result(id, content, this.#nextId(event), event.isError)
  }

  /** Calls that a budget, a deadline or an abort of their agent has stopped get no result. */
  #endCalls(event: AgentEvent): Frame[] {
    const ended = [...this.#open].filter(([, { path }]) => event.path.every((id, index) => path[index] === id))
    return ended.flatMap(([id, call]) => {
      this.#open.delete(id)
      return this.#tracks.of(call).result(id, noResult, this.#nextId(event), true)
    })
  }

  #requestApproval(event: Of<'approval-request'>): Frame[] {
    // A member asks once it is suspended, so its subagent has finished: its call is not shown under another one.
    const id = this.#shownAs.get(callIdOf(event)) ?? this.#idOf(event)
    const frames = this.#shown.has(id) ? [] : this.#showCall(event)
    // The client executes it, and answers by a message of the role `tool`.
    if (event.kind === 'client-tool') return frames
    this.#interrupts.push({
      ...{ id: approvalRef(event.runId, event.approvalId), reason: 'approval', toolCallId: id, responseSchema },
      message: `"${event.name}" needs a decision.`,
      metadata: { kind: event.kind },
    })
    return frames
  }

  #end(event: Of<'run-end'>): Frame[] {
    this.#hasEnded = true
    const { threadId, runId } = this.#options
    const { finishReason, text, usage, cost, error } = event
    const isFailed = finishReason === 'error' || finishReason === 'aborted'
    const hasAnswer = !this.#hasText && text !== '' && !isFailed && finishReason !== 'approval'
    const whole = hasAnswer ? this.#text(event, text) : []
    // The protocol has no interrupt without a question.
    const isWaiting = finishReason === 'approval' && this.#interrupts.length > 0
    const closed = [
      ...(finishReason === 'approval' ? [] : this.#endCalls(event)),
      ...this.#tracks.finish('', { outcome: { type: isWaiting ? 'suspended' : 'success' } }),
    ]
    const used = tokenUsage(usage)
    if (isFailed) {
      const { message = 'The run was aborted.', code = finishReason } = error ?? {}
      return [...closed, { type: 'RUN_ERROR', message, code, usage: used }]
    }
    const metadata = { runId: event.runId, finishReason, cost: cost?.usd ?? null }
    const outcome = isWaiting ? { type: 'interrupt', interrupts: this.#interrupts } : { type: 'success' }
    return [...whole, ...closed, { type: 'RUN_FINISHED', threadId, runId, outcome, usage: used, metadata }]
  }

  /** A member that is called again may use its ids again, but a call has one subagent. */
  #idOf(event: Of<'tool-call'> | Of<'tool-result'> | Of<'approval-request'>): string {
    const id = callIdOf(event)
    const { subagentRunId = '' } = this.#tracks.of(event)
    if (!this.#openers.has(id)) this.#openers.set(id, subagentRunId)
    return this.#openers.get(id) === subagentRunId ? id : `${id}/${subagentRunId.split('/').at(-1)}`
  }

  #nextId(event: AgentEvent): string {
    return `${event.runId}-${event.seq}-${++this.#ids}`
  }
}

function encodeFrames(frames: readonly Frame[]): string {
  return frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
}

function callIdOf({ runId, path, callId }: AgentEvent & { callId: string }): string {
  return threadCallId(runId, path.slice(1), callId)
}

const responseSchema = {
  type: 'object',
  properties: { approve: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approve'],
}
