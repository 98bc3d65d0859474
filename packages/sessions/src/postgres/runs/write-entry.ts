import type { RunEnding, RunEntry } from '@agentkit/core'
import { conflict, notRunning } from '../../util/conflicts.ts'
import { jsonOrNull, toJSON } from '../../util/json.ts'
import type { Writing } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import { toStored } from '../database/text-form.ts'

/** An entry as it is stored. An attempt that is absent is any. */
export type PreparedEntry = {
  attempt: number | undefined
  position: number | undefined
  bodies: string[]
  state: string | null
  progress: string | null
  usage: string | null
  calls: [ids: string[], names: string[], startedAt: number[]]
  events: [seqs: number[], bodies: string[]]
}

export function prepareEntry(entry: Omit<RunEntry, 'attempt'> & { attempt?: number }): PreparedEntry {
  const { attempt, position, messages = [], state, progress, usage, calls = [], events = [] } = entry
  // A statement may not insert the same key twice.
  const lastCalls = [...new Map(calls.map((call) => [call.callId, call])).values()]
  return {
    attempt,
    position,
    bodies: messages.map(toJSON),
    state: jsonOrNull(state),
    progress: jsonOrNull(progress),
    usage: jsonOrNull(usage),
    calls: [
      lastCalls.map(({ callId }) => toStored(callId)),
      lastCalls.map(({ name }) => toStored(name)),
      lastCalls.map(({ startedAt }) => startedAt),
    ],
    events: [events.map(({ seq }) => seq), events.map(toJSON)],
  }
}

/** The columns of a run that ends. */
type Ending = {
  status: string
  finishReason: string | null
  answer: string | null
  error: string | null
  /** The usage of a run that ends without an entry; the usage of an entry is stored with it. */
  usage?: string | null
  cost: string | null
  sources: string | null
}

export function toEnding({ status, finishReason, text, error, usage, cost, sources }: RunEnding): Ending {
  return {
    status,
    finishReason,
    answer: text === undefined ? null : toStored(text),
    error: jsonOrNull(error),
    usage: jsonOrNull(usage),
    cost: jsonOrNull(cost),
    sources: jsonOrNull(sources),
  }
}

export type EntryOptions = {
  /** Ends the run too, and moves its session. */
  ending?: RunEnding
  /** The rest of the transaction takes the run away from its store. */
  isLeaving?: boolean
  /** The run is part of a tree; its events are stored by the caller. */
  inTree?: boolean
}

/** `isRepeated`: an earlier try, whose answer was lost, has stored everything. */
export type Written = { count: number; isRepeated: boolean }

/**
 * Stores an entry by one statement, which locks the run and compares its attempt. Rows that are stored already do not
 * change.
 * @returns the number of the run's messages; `in tree` when nothing is stored, as the run is part of one
 * @throws AgentKitError `session-conflict`
 */
export async function writeEntry(
  { query, holder, now, again }: Writing,
  runId: string,
  entry: PreparedEntry,
  options: EntryOptions,
): Promise<Written | 'in tree'> {
  const values: unknown[] = []
  const put: Put = (value, type) => `$${values.push(value)}::${type}`
  const text = entryText(toStored(runId), entry, options, { now, holder: holder.id, put })
  const [row] = await query<{ count: number }>(text, values)
  if (row) return { count: row.count, isRepeated: false }
  return outcomeOf(query, runId, entry, options, again)
}

/** Adds a value to a statement. @returns its place in the text */
type Put = (value: unknown, type: string) => string

/** The parts that an entry does not have are left out: it has few texts, which are prepared once each. */
function entryText(
  runId: string,
  entry: PreparedEntry,
  { ending, isLeaving, inTree }: EntryOptions,
  { now, holder, put }: { now: number; holder: string; put: Put },
): string {
  const { attempt, position, bodies, state, progress, usage, calls, events } = entry
  const id = put(runId, 'text')
  const isAttempt = attempt === undefined ? 'true' : `attempt = ${put(attempt, 'int')}`
  const isPlain = inTree ? 'true' : 'NOT in_tree'
  if (!ending && !isLeaving && hasOnlyEvents(entry)) {
    // The last events of a run may be stored after its suspension.
    return `WITH run AS MATERIALIZED (SELECT number, keeps_events, message_count AS count FROM agentkit.runs
        WHERE run_id = ${id} AND status IN ('running', 'waiting') AND ${isAttempt} AND ${isPlain} FOR NO KEY UPDATE)
      ${eventsPart(events, put)} SELECT count FROM run`
  }
  const sets: string[] = []
  const isChanged = (column: string, value: string | null): void => {
    if (value !== null) sets.push(`${column} = ${put(value, 'text')}`)
  }
  isChanged('usage', usage)
  isChanged('progress', progress)
  isChanged('state', state)
  const length = bodies.length
  const from = position === undefined || length === 0 ? undefined : put(position, 'int')
  if (length > 0) {
    sets.push(
      'takeovers = 0',
      `message_count = greatest(message_count, ${from ?? 'message_count'} + ${put(length, 'int')})`,
    )
  }
  if (ending) {
    sets.push('holder = NULL', 'waiting_since = NULL', 'awaits_members = false')
    sets.push(`status = ${put(ending.status, 'text')}`, `ended_at = ${put(now, 'bigint')}`)
    for (const [column, value] of Object.entries(columnsOf(toEnding(ending))))
      sets.push(`${column} = ${put(value, 'text')}`)
  }
  if (sets.length === 0) sets.push('attempt = attempt')
  // Another process may have taken the run over with the attempt that this one has tried.
  const isHeld = isLeaving && attempt !== undefined ? `holder = ${put(holder, 'text')}` : 'holder IS NOT NULL'
  const isNext = from === undefined ? 'true' : `message_count >= ${from}`
  // The session first, as everywhere: two transactions never wait for each other.
  const movesSession = ending !== undefined || isLeaving === true || state !== null
  const locked = movesSession
    ? `s AS MATERIALIZED (SELECT id FROM agentkit.sessions
        WHERE id = (SELECT session FROM agentkit.runs WHERE run_id = ${id}) FOR NO KEY UPDATE), `
    : ''
  const moved = [
    ...(ending ? ['version = version + 1', `updated_at = ${put(now, 'bigint')}`] : []),
    ...(state === null ? [] : [`state = ${put(state, 'text')}`]),
  ].join(', ')
  return `WITH ${locked}run AS (UPDATE agentkit.runs AS r SET ${sets.join(', ')} ${movesSession ? 'FROM s' : ''}
      WHERE run_id = ${id} AND status = 'running' AND ${isHeld} AND ${isAttempt} AND ${isPlain}
        AND ${isNext}
        ${movesSession ? 'AND session = s.id' : ''}
      RETURNING r.number, r.session, r.keeps_events, r.agent_id, r.notifies, r.attempt,
        r.finish_reason, r.error, r.status, r.message_count AS count)
    ${moved ? `, moved AS (UPDATE agentkit.sessions SET ${moved} FROM run WHERE id = run.session)` : ''}
    ${length > 0 ? messagesPart(bodies, from, put) : ''}
    ${calls[0].length > 0 ? callsPart(calls, put) : ''}
    ${events[0].length > 0 ? eventsPart(events, put) : ''}
    ${ending ? `, noticed AS (${noticeOf(put(now, 'bigint'))})` : ''}
    SELECT count FROM run`
}

function messagesPart(bodies: string[], from: string | undefined, put: Put): string {
  return `, added AS (INSERT INTO agentkit.messages (run, position, body)
    SELECT number, ${from ?? `count - ${put(bodies.length, 'int')}`} + place::int - 1, body
    FROM run, unnest(${put(bodies, 'text[]')}) WITH ORDINALITY AS m (body, place) ON CONFLICT DO NOTHING)`
}

function callsPart(calls: PreparedEntry['calls'], put: Put): string {
  const [ids, names, times] = calls
  return `, begun AS (INSERT INTO agentkit.calls (run, call_id, name, started_at)
    SELECT number, c.* FROM run, unnest(${put(ids, 'text[]')}, ${put(names, 'text[]')}, ${put(times, 'bigint[]')}) AS c
    ON CONFLICT (run, call_id) DO UPDATE SET name = excluded.name, started_at = excluded.started_at)`
}

function eventsPart(events: PreparedEntry['events'], put: Put): string {
  const [seqs, bodies] = events
  const given = `unnest(${put(seqs, 'bigint[]')}, ${put(bodies, 'text[]')}) AS e (seq, body)`
  return `, emitted AS (INSERT INTO agentkit.events (run, seq, body)
    SELECT number, e.seq, e.body FROM run, ${given} WHERE keeps_events ON CONFLICT DO NOTHING)`
}

/** A notice of the run that the statement calls `run`, where it has some. */
export function noticeOf(now: string): string {
  return `INSERT INTO agentkit.notices (run, agent_id, status, attempt, finish_reason, error, created_at, due_at)
    SELECT number, agent_id, status, attempt, finish_reason, error, ${now}, ${now} FROM run WHERE notifies`
}

/** The values by column of the table. */
function columnsOf({ finishReason, answer, error, cost, sources }: Ending): Record<string, string | null> {
  return { finish_reason: finishReason, answer, error, cost, sources }
}

export function hasOnlyEvents({ bodies, state, progress, usage, calls, events }: PreparedEntry): boolean {
  const others = bodies.length + calls[0].length
  return events[0].length > 0 && others === 0 && state === null && progress === null && usage === null
}

/**
 * The outcome of an entry that was not stored now: if an answer was lost, an earlier try may have stored it. @throws
 * the reason why it is not stored
 */
async function outcomeOf(
  query: Query,
  runId: string,
  { attempt, position, bodies }: PreparedEntry,
  { ending, isLeaving, inTree }: EntryOptions,
  again: boolean,
): Promise<Written | 'in tree'> {
  const [run] = await query<StoredState>(stateText, [toStored(runId)])
  if (!run || (attempt !== undefined && run.attempt !== attempt)) throw notRunning(runId)
  const isHeld = run.status === 'running' && run.holder !== null
  const hasEnded = ending && run.status === ending.status && run.finish_reason === ending.finishReason
  const hasLeft = isLeaving && run.holder === null && (run.status === 'running' || run.status === 'waiting')
  if (again && (hasEnded || hasLeft)) return { count: run.count, isRepeated: true }
  if (run.in_tree && !inTree) return 'in tree'
  if (isHeld && bodies.length > 0 && position !== undefined && position > run.count) {
    throw conflict(`The run has ${run.count} messages; none can follow a missing one.`)
  }
  throw notRunning(runId)
}

type StoredState = {
  status: string
  attempt: number
  holder: string | null
  in_tree: boolean
  finish_reason: string | null
  count: number
}
const stateText = `SELECT status, attempt, holder, in_tree, finish_reason, message_count AS count FROM agentkit.runs
  WHERE run_id = $1`
