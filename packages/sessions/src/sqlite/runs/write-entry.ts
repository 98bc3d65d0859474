import type { AgentEvent, JSONValue, Message, RunEntry, Usage } from '@agentkit/core'
import { conflict, notRunning } from '../../util/conflicts.ts'
import { jsonOrNull, toJSON } from '../../util/json.ts'
import type { Touch } from '../database/store-access.ts'
import type { Statements } from '../statements/statements.ts'
import type { WrittenRun } from './rows.ts'
import { addEvents, type PreparedEvents } from './stored-events.ts'

/** An entry as it is stored; made before the transaction, so that it holds the lock for less time. */
export type PreparedEntry = {
  position: number | undefined
  bodies: readonly string[]
  state: string | null
  progress: string | null
  usage: string | null
  calls: NonNullable<RunEntry['calls']>
  events: PreparedEvents
}

export function prepareEntry(entry: {
  position?: number
  messages?: readonly Message[]
  state?: JSONValue | undefined
  progress?: JSONValue
  usage?: Usage
  calls?: RunEntry['calls']
  events?: readonly AgentEvent[]
}): PreparedEntry {
  const { position, messages = [], state, progress, usage, calls = [], events = [] } = entry
  return {
    position,
    bodies: messages.map(toJSON),
    state: jsonOrNull(state),
    progress: jsonOrNull(progress),
    usage: jsonOrNull(usage),
    calls,
    events: events.map((event) => [event.seq, toJSON(event)] as const),
  }
}

/**
 * The run, if its store still works on it.
 * @param attempt that writes; any when absent
 * @throws AgentKitError `session-conflict`
 */
export function requireHeld(statements: Statements, runId: string, attempt?: number): WrittenRun {
  const run = findWritten(statements, runId)
  const isHeld = run?.status === 'running' && run.holder !== null
  if (!run || !isHeld || (attempt !== undefined && run.attempt !== attempt)) throw notRunning(runId)
  return run
}

/**
 * The same, if this store has taken it: another one may have taken it over with the attempt that this one has tried.
 * @throws AgentKitError `session-conflict`
 */
export function requireOwn(statements: Statements, runId: string, attempt: number, holder: string): WrittenRun {
  const run = requireHeld(statements, runId, attempt)
  if (run.holder !== holder) throw notRunning(runId)
  return run
}

/**
 * The run, if it has not ended and no later attempt has begun: its last events may follow its suspension.
 * @throws AgentKitError `session-conflict`
 */
export function requireLatest(statements: Statements, runId: string, attempt: number): WrittenRun {
  const run = findWritten(statements, runId)
  const isOpen = run?.status === 'running' || run?.status === 'waiting'
  if (!run || !isOpen || run.attempt !== attempt) throw notRunning(runId)
  return run
}

function findWritten(statements: Statements, runId: string): WrittenRun | undefined {
  // The row has the columns that the statement selects.
  return statements.writtenRun.get(runId) as WrittenRun | undefined
}

export function hasOnlyEvents({ bodies, state, progress, usage, calls, events }: PreparedEntry): boolean {
  const others = bodies.length + calls.length
  return events.length > 0 && others === 0 && state === null && progress === null && usage === null
}

/** Stores an entry. Rows that are stored already do not change. */
export function writeEntry(statements: Statements, touch: Touch, run: WrittenRun, entry: PreparedEntry): void {
  const { bodies, state, progress, usage, calls, events } = entry
  const { number } = run
  if (bodies.length > 0) {
    let position = (run.last_position ?? -1) + 1
    const skipped = entry.position === undefined ? 0 : position - entry.position
    if (skipped < 0) throw conflict(`The run has ${position} messages; none can follow a missing one.`)
    for (const body of bodies.slice(skipped)) statements.addMessage.run(number, position++, body)
  }
  for (const { callId, name, startedAt } of calls) statements.addCall.run(number, callId, name, startedAt)
  addEvents(statements, touch, run, events)
  const isFinished = bodies.length > 0 && run.takeovers > 0 ? 1 : 0
  if (isFinished === 1 || state !== null || progress !== null || usage !== null) {
    statements.updateRun.run({ number, usage, state, progress, isFinished })
  }
  if (state !== null) statements.setSessionState.run(state, run.session)
}
