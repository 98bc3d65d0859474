import type { ModelEvent } from '../../contracts/model.ts'
import type { AgentEventBody, Emit } from '../../data/event.ts'
import type { JSONValue } from '../../data/message.ts'
import { emptyReply, type Reply, reasoningOf, textOf } from '../../runs/reply.ts'
import { cloneJSON } from '../../util/json/clone-json.ts'
import { compactJSON } from '../../util/json/compact-json.ts'
import type { Run } from '../run/types.ts'

/** What a model call emits: events of the run, and arguments of the answer while they are written. */
export type EmitOfCall = (event: AgentEventBody | ToolInputDelta) => Promise<void> | undefined

type ToolInputDelta = Extract<ModelEvent, { type: 'tool-input-delta' }>

/**
 * What happens to the events of a step: they are emitted at once, or held back until the reply is checked; where a tool takes
 * the answer, its arguments are emitted at once, as text.
 */
export type GateMode = 'emit' | 'hold' | 'draft'

/** A hook may change the reply, and a tool that takes the answer makes another one of it. */
export function gateMode({ agent: { hooks }, finalTool }: Pick<Run, 'agent' | 'finalTool'>): GateMode {
  if (hooks.afterModel || hooks.output) return 'hold'
  return finalTool === undefined ? 'emit' : 'draft'
}

/** Holds the events of a step back while its reply may be changed. */
export type EventGate = {
  emit: EmitOfCall
  isHolding(): boolean
  /**
   * Drops the held events of an earlier attempt.
   * @returns the answer if the run is stopped during this attempt: only what was emitted
   */
  restart(attempt: Reply, mode: GateMode): Reply
  /** Takes back what was emitted of an answer that is not accepted. */
  withdraw(): Promise<void>
  /** Emits the held events, or others in their place, without the call of the tool that takes the answer. */
  release(instead: AgentEventBody[] | undefined, finalTool: string | undefined): Promise<void>
}

export function eventGate(emit: Emit, step: number): EventGate {
  let mode: GateMode = 'emit'
  let held: AgentEventBody[] = []
  let shown = emptyReply()
  /** The call of the draft, and the form in which its arguments become the answer. */
  let draft: { callId: string; written(piece: string): string } | undefined

  const emitDraft = ({ callId, text }: ToolInputDelta): Promise<void> | undefined => {
    if (mode !== 'draft') return undefined
    draft ??= { callId, written: compactJSON() }
    // Of two answers the last valid one counts, and only the end of the reply decides which one that is.
    if (draft.callId !== callId) mode = 'hold'
    const written = mode === 'draft' ? draft.written(text) : ''
    if (written === '') return undefined
    shown.text += written
    return emit({ type: 'text-delta', text: written })
  }
  const withdraw = async (): Promise<void> => {
    if (shown.text === '') return
    shown.text = ''
    await emit({ type: 'step-restart', step, error: { ...notAccepted } })
  }
  return {
    emit(event) {
      if (event.type === 'tool-input-delta') return emitDraft(event)
      if (mode === 'emit') return emit(event)
      // The call of the answer tool ends its draft; beside another call it is not an answer.
      if (event.type === 'tool-call') mode = 'hold'
      held.push(event)
      return undefined
    },
    isHolding: () => mode !== 'emit',
    restart(attempt, newMode) {
      mode = newMode
      held = []
      draft = undefined
      shown = emptyReply()
      return mode === 'emit' ? attempt : shown
    },
    withdraw,
    async release(instead = held, finalTool) {
      const text = instead.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
      const isShown = shown.text !== '' && shown.text === text
      if (!isShown) await withdraw()
      for (const event of instead) {
        const isAnswer = event.type === 'tool-call' ? event.name === finalTool : event.type === 'text-delta' && isShown
        if (!isAnswer) await emit(event)
      }
    },
  }
}

const notAccepted = {
  code: 'provider-error',
  message: 'What the model began to answer was not accepted.',
  retryable: true,
} as const

/** The message of a model that began its answer again has the second answer alone: the reply and its events then have it too. */
export async function dropEarlierText(
  { step, emit }: { step?: number; emit: EmitOfCall },
  reply: Reply,
): Promise<void> {
  const text = textOf(reply.message)
  if (text.trim() === '' || text.trim() === reply.text.trim()) return
  Object.assign(reply, { text, reasoning: reasoningOf(reply.message) })
  if (step === undefined) return
  await emit({ type: 'step-restart', step, error: { ...begunAgain } })
  if (reply.reasoning !== '') await emit({ type: 'reasoning-delta', text: reply.reasoning })
  for (const event of eventsOf(reply)) await emit(event)
}

const begunAgain = {
  code: 'malformed-stream',
  message: 'The model began its answer again.',
  retryable: true,
} as const

/** The events of a reply as it is now. */
export function eventsOf({ text, calls }: Reply): AgentEventBody[] {
  const events: AgentEventBody[] = text === '' ? [] : [{ type: 'text-delta', text }]
  for (const { callId, name, input, inputText } of calls) {
    events.push({ type: 'tool-call', callId, name, input: inputText ?? cloneJSON(input as JSONValue) })
  }
  return events
}
