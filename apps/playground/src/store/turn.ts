import type { AgentEvent } from '@agentkit/core'
import { type Signal, signal } from '@preact/signals'
import { newId } from '../api/new-id.ts'
import type { Problem } from '../api/problem.ts'
import type { TurnBody } from '../api/types.ts'
import { applyEvent, newRunView, type RunView } from '../run/run-view.ts'
import { viewOfTurn } from '../run/view-of-turn.ts'

/** A question with its run. */
export type ShownTurn = {
  id: string
  question: string
  view: RunView
  /** The run that its own replaces, once that is part of the conversation. */
  replaces: string | undefined
  /** Rises when `view` has changed, at most once per frame. */
  version: Signal<number>
  problem: Signal<Problem | undefined>
  isLost: Signal<boolean>
  /** Whether the server keeps its events. */
  keepsEvents: boolean
  /** Whether `view` has the steps, which a turn of the history has once they are read. */
  hasSteps: Signal<boolean>
  /** Whether the page has sent it and waits for its run. */
  isSending: Signal<boolean>
  /** Whether the reader has stopped it before its run had an id. */
  isStopping: boolean
  /** Whether the reader has left its conversation before its run had an id. */
  isLeft: boolean
  startedAt: number
  endedAt: number | undefined
  /** Of the request that began its run or continued it, as the log of the server has it. */
  requestId: string | undefined
  /** The events, where the server keeps none: for a transcript. */
  log: AgentEvent[]
  controller: AbortController
}

const maxLog = 20_000

/** @param options.speaker of `/api/v1/info` */
export function newTurn(
  question: string,
  { keepsEvents, speaker }: { keepsEvents: boolean; speaker?: string | undefined },
): ShownTurn {
  return {
    ...{ id: newId(), question, view: newRunView('', speaker), replaces: undefined },
    ...{ version: signal(0), problem: signal(undefined), isLost: signal(false), isSending: signal(true) },
    ...{ keepsEvents, hasSteps: signal(true), isStopping: false, isLeft: false },
    ...{ startedAt: Date.now(), endedAt: undefined, requestId: undefined, log: [], controller: new AbortController() },
  }
}

export function storedTurn(body: TurnBody): ShownTurn {
  const turn = newTurn(body.question, { keepsEvents: body.events })
  const startedAt = Date.parse(body.started_at ?? body.created_at)
  const endedAt = body.ended_at ? Date.parse(body.ended_at) : undefined
  turn.isSending.value = false
  turn.hasSteps.value = false
  return Object.assign(turn, { id: body.run_id, view: viewOfTurn(body), startedAt, endedAt })
}

/** Applies an event, and has the turn drawn with the next frame. */
export function receive(turn: ShownTurn, event: AgentEvent): void {
  if (turn.view.runId === '') turn.view.runId = event.runId
  if (!turn.keepsEvents && turn.log.length < maxLog) turn.log.push(event)
  applyEvent(turn.view, event)
  // The problem was that the run could not be stopped.
  turn.problem.value = undefined
  if (event.type === 'run-end') turn.endedAt = Date.now()
  redraw(turn)
}

const waiting = new Set<ShownTurn>()

export function redraw(turn: ShownTurn): void {
  if (waiting.size === 0) requestAnimationFrame(drawAll)
  waiting.add(turn)
}

function drawAll(): void {
  const turns = [...waiting]
  waiting.clear()
  for (const turn of turns) turn.version.value++
}

/** Whether its run continues. */
export function isRunning(turn: ShownTurn): boolean {
  turn.version.value // read again when the run continues
  return turn.isSending.value || (turn.view.isOpen && turn.problem.value === undefined)
}

/** Whether its run waits for decisions. */
export function isWaiting(turn: ShownTurn): boolean {
  turn.version.value // read again when the run continues
  return turn.view.end?.finishReason === 'approval'
}
