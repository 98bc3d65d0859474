import type { AgentEvent, Usage } from '@agentkit/core'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { publicEvent } from '../../answer/public-event.ts'
import { noResult } from '../common/no-result.ts'
import { approvalRef } from '../common/run-approvals.ts'
import { type AgentTrack, agentTrack, type Frame } from './agent-track.ts'
import { threadCallId } from './thread-call-id.ts'

export type AGUIEncoderOptions = {
  threadId: string
  /** The client's own. */
  runId: string
  /** Whether the client takes results of tools in parts, not only as texts. */
  takesParts?: boolean
  /** Tools of the client, which are not called. */
  ignoredTools?: readonly string[]
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
export function aguiEncoder({
  threadId,
  runId,
  takesParts = true,
  ignoredTools = [],
  calls = [],
  answered = [],
}: AGUIEncoderOptions): EncodeEvent {
  const tracks = new Map<string, AgentTrack>()
  const shown = new Set(calls)
  const given = new Set(answered)
  /** Calls without a result, by the id under which they are shown. */
  const open = new Map<string, Of<'tool-call'> | Of<'approval-request'>>()
  const openers = new Map<string, string>()
  /** Maps the id of a call to the id under which it was last shown. */
  const shownAs = new Map<string, string>()
  const interrupts: object[] = []
  let hasBegun = false
  let hasText = false
  let hasEnded = false
  let ids = 0

  const nextId = (event: AgentEvent): string => `${event.runId}-${event.seq}-${++ids}`
  const begin = (event: AgentEvent): Frame[] => {
    if (hasBegun) return []
    hasBegun = true
    const ignored = { type: 'CUSTOM', name: 'agentkit.ignored', value: { tools: ignoredTools } }
    return [
      { type: 'RUN_STARTED', threadId, runId, metadata: { runId: event.runId } },
      ...(ignoredTools.length > 0 ? [ignored] : []),
    ]
  }
  /** The agent of an event; one that has not begun here begins. */
  const trackOf = (event: AgentEvent, name = event.path.at(-1) ?? ''): AgentTrack => {
    const key = event.path.slice(1).join('/')
    const known = tracks.get(key)
    if (known) return known
    const above = event.path.length > 2 ? trackOf({ ...event, path: event.path.slice(0, -1) }) : undefined
    const parent = above?.subagentRunId
    const subagentRunId = key === '' ? undefined : `${event.runId}/${key}/${++ids}`
    const track = agentTrack({ subagentRunId, name, ...(parent !== undefined && { parent }) })
    tracks.set(key, track)
    return track
  }
  const finishSubagents = (below: string, outcome: Frame): Frame[] => {
    const frames: Frame[] = []
    // The innermost first.
    for (const [key, track] of [...tracks].reverse()) {
      if (key !== below && !key.startsWith(below === '' ? '' : `${below}/`)) continue
      frames.push(...track.finish(key === '' ? undefined : outcome))
      tracks.delete(key)
    }
    return frames
  }
  /** A member that is called again may use its ids again, but a call has one subagent. */
  const idOf = (event: Of<'tool-call'> | Of<'tool-result'> | Of<'approval-request'>): string => {
    const id = callIdOf(event)
    const { subagentRunId = '' } = trackOf(event)
    if (!openers.has(id)) openers.set(id, subagentRunId)
    return openers.get(id) === subagentRunId ? id : `${id}/${subagentRunId.split('/').at(-1)}`
  }
  const showCall = (event: Of<'tool-call'> | Of<'approval-request'>): Frame[] => {
    const id = idOf(event)
    shown.add(id)
    open.set(id, event)
    shownAs.set(callIdOf(event), id)
    return trackOf(event).call(id, event.name, JSON.stringify(event.input ?? {}))
  }
  const showResult = (event: Of<'tool-result'>): Frame[] => {
    const id = idOf(event)
    open.delete(id)
    return trackOf(event).result(id, contentOf(event, takesParts), nextId(event), event.isError)
  }
  /** Calls that a budget, a deadline or an abort of their agent has stopped get no result. */
  const endCalls = (event: AgentEvent): Frame[] => {
    const ended = [...open].filter(([, { path }]) => event.path.every((id, index) => path[index] === id))
    return ended.flatMap(([id, call]) => {
      open.delete(id)
      return trackOf(call).result(id, noResult, nextId(event), true)
    })
  }
  const ended = (event: Of<'run-end'>): Frame[] => {
    hasEnded = true
    const { finishReason, text, usage, cost, error } = event
    const isFailed = finishReason === 'error' || finishReason === 'aborted'
    const whole = hasText || text === '' || isFailed || finishReason === 'approval' ? [] : say(event, text)
    // The protocol has no interrupt without a question.
    const isWaiting = finishReason === 'approval' && interrupts.length > 0
    const closed = [
      ...(finishReason === 'approval' ? [] : endCalls(event)),
      ...finishSubagents('', { outcome: { type: isWaiting ? 'suspended' : 'success' } }),
    ]
    const used = tokenUsage(usage)
    if (isFailed) {
      const { message = 'The run was aborted.', code = finishReason } = error ?? {}
      return [...closed, { type: 'RUN_ERROR', message, code, usage: used }]
    }
    const metadata = { runId: event.runId, finishReason, cost: cost?.usd ?? null }
    const outcome = isWaiting ? { type: 'interrupt', interrupts } : { type: 'success' }
    return [...whole, ...closed, { type: 'RUN_FINISHED', threadId, runId, outcome, usage: used, metadata }]
  }
  const say = (event: AgentEvent, text: string): Frame[] => trackOf(event).text(text, () => nextId(event))

  const framesOf = (event: AgentEvent): Frame[] => {
    switch (event.type) {
      case 'run-start':
        return []
      case 'run-end':
        return ended(event)
      case 'agent-start': {
        // A member may be called again: each call is a run of its own.
        const before = finishSubagents(event.path.slice(1).join('/'), { outcome: { type: 'success' } })
        return event.path.length > 1 ? [...before, ...trackOf(event, event.name).begin()] : before
      }
      case 'agent-end':
        return [
          ...(event.status === 'waiting' ? [] : endCalls(event)),
          ...finishSubagents(event.path.slice(1).join('/'), outcomeOf(event)),
        ]
      case 'step-start':
        return trackOf(event).step(event.step)
      case 'step-end':
        return trackOf(event).endStep()
      case 'step-restart':
        return [...trackOf(event).close(), custom('agentkit.step-restart', { step: event.step })]
      case 'text-delta':
        if (event.path.length === 1) hasText = true
        return event.text === '' ? [] : say(event, event.text)
      case 'reasoning-delta':
        return event.text === '' ? [] : trackOf(event).reasoning(event.text, () => nextId(event))
      case 'tool-call':
        return showCall(event)
      case 'tool-result':
        if (given.delete(callIdOf(event))) return []
        return shown.has(idOf(event)) || event.path.length === 1 ? showResult(event) : []
      case 'source':
        return [custom('agentkit.source', event.source)]
      case 'handoff':
        return [custom('agentkit.handoff', { to: event.to })]
      case 'model-fallback':
        return [custom('agentkit.model-fallback', { from: event.from, to: event.to })]
      case 'approval-request': {
        // A member asks once it is suspended, so its subagent has finished: its call is not shown under another one.
        const id = shownAs.get(callIdOf(event)) ?? idOf(event)
        const frames = shown.has(id) ? [] : showCall(event)
        // The client executes it, and answers by a message of the role `tool`.
        if (event.kind === 'client-tool') return frames
        interrupts.push({
          ...{ id: approvalRef(event.runId, event.approvalId), reason: 'approval', toolCallId: id, responseSchema },
          message: `"${event.name}" needs a decision.`,
          metadata: { kind: event.kind },
        })
        return frames
      }
    }
  }

  const encode = (event: AgentEvent): string => {
    if (hasEnded) return ''
    return textOf([...begin(event), ...framesOf(publicEvent(event))])
  }
  const cut = (): string => {
    const message = 'The server is shutting down. The run continues.'
    return textOf([
      ...finishSubagents('', { outcome: { type: 'success' } }),
      { type: 'RUN_ERROR', message, code: 'overloaded' },
    ])
  }
  return Object.assign(encode, { cut })
}

function textOf(frames: readonly Frame[]): string {
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

function custom(name: string, value: unknown): Frame {
  return { type: 'CUSTOM', name, value }
}

/** A member that did not finish ends in an error, without the words of its failure. */
function outcomeOf({ status }: Of<'agent-end'>): Frame {
  if (status === 'done') return { outcome: { type: 'success' } }
  if (status === 'waiting') return { outcome: { type: 'suspended' } }
  return { type: 'SUBAGENT_ERROR', message: `The member did not finish (${status}).`, code: status }
}

/** Texts and images as they are, anything else as JSON. */
function contentOf({ output }: Of<'tool-result'>, takesParts: boolean): string | object[] {
  if (typeof output === 'string') return output
  if (Array.isArray(output) && output.length > 0 && output.every(isPart)) {
    if (!takesParts) return output.map(({ type, text }) => (type === 'text' ? text : '[image left out]')).join('\n')
    return output.map((part) => {
      if (part.type === 'text') return { type: 'text', text: String(part.text) }
      const { base64, url, mediaType = 'image/png' } = part
      const source = base64 === undefined ? { type: 'url', value: url } : { type: 'data', value: base64 }
      return { type: 'image', source: { ...source, mimeType: mediaType } }
    })
  }
  return output === undefined ? 'done' : JSON.stringify(output)
}

type Part = { type: unknown; text?: unknown; base64?: unknown; url?: unknown; mediaType?: unknown }

function isPart(part: unknown): part is Part {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false
  const { type, text, base64, url } = part as Part
  if (type === 'text') return typeof text === 'string'
  return type === 'image' && (typeof base64 === 'string' || typeof url === 'string')
}

function tokenUsage({ inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens }: Usage): object[] {
  const known = { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens }
  const used = Object.entries(known).filter(([, tokens]) => tokens !== undefined)
  return used.length > 0 ? [Object.fromEntries(used)] : []
}
