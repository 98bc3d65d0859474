import type { AgentEvent } from '@agentkit/core'
import { parseStored, toJSON } from '../../util/json.ts'
import type { Writing } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import { toStored } from '../database/text-form.ts'
import type { RunHead } from './rows.ts'
import type { PreparedEntry } from './write-entry.ts'

/** The outermost run of a tree, locked, with the last number of its stream. */
export type Stream = { number: number; run_id: string; last_seq: number }

/**
 * Adds events of a run of a tree to its stream. The numbers that the run itself has given show which events are stored
 * already.
 */
export async function addTreeEvents(
  writing: Writing,
  run: Pick<RunHead, 'number' | 'own_seq'>,
  stream: Stream,
  [seqs, bodies]: PreparedEntry['events'],
): Promise<void> {
  const fresh = seqs.flatMap((seq, index) => (seq > run.own_seq ? [{ seq, body: bodies[index] ?? '' }] : []))
  if (fresh.length === 0) return
  await addEvents(writing, run.number, stream, fresh)
  await writing.query('UPDATE agentkit.runs SET own_seq = $2 WHERE number = $1', [run.number, Math.max(...seqs)])
}

/** Adds the last events of a run that its own process does not end. */
export async function addLastEvents(
  writing: Writing,
  run: Pick<RunHead, 'number' | 'root' | 'keeps_events'>,
  events: readonly AgentEvent[],
): Promise<void> {
  if (events.length === 0 || !run.keeps_events) return
  const [stream] = await writing.query<Stream>(lastText, [run.root ?? run.number])
  const added = events.map((event) => ({ seq: event.seq, body: toJSON(event) }))
  if (stream) await addEvents(writing, run.number, stream, added)
}

async function addEvents(
  { query }: Writing,
  number: number,
  stream: Stream,
  events: readonly { seq: number; body: string }[],
): Promise<void> {
  let last = stream.last_seq
  const seqs = events.map(({ seq }) => {
    last = Math.max(seq, last + 1)
    return last
  })
  const member = number === stream.number ? null : number
  await query(addText, [stream.number, member, seqs, events.map(({ body }) => body), last])
}

const addText = `WITH moved AS (UPDATE agentkit.runs SET last_seq = $5::bigint WHERE number = $1::bigint)
  INSERT INTO agentkit.events (run, member, seq, body)
  SELECT $1::bigint, $2::bigint, e.* FROM unnest($3::bigint[], $4::text[]) AS e`
const lastText = `SELECT number, run_id,
    greatest(last_seq, (SELECT max(seq) FROM agentkit.events WHERE run = number)) AS last_seq
  FROM agentkit.runs WHERE number = $1 FOR NO KEY UPDATE`

export async function readEvents(query: Query, runId: string, after: number, limit: number): Promise<AgentEvent[]> {
  const rows = await query<{ seq: number; body: string }>(eventsText, [toStored(runId), after, limit])
  return rows.map(({ seq, body }) => {
    const event = parseStored<AgentEvent>(body, runId, 'events')
    event.seq = seq
    return event
  })
}

export async function readEventRange(
  query: Query,
  runId: string,
): Promise<{ oldest: number; last: number } | undefined> {
  const [row] = await query<{ oldest: number | null; last: number }>(rangeText, [toStored(runId)])
  return !row || row.oldest === null ? undefined : { oldest: row.oldest, last: row.last }
}

// The events of a member's run are in the stream of the outermost run. One of both is NULL, which no event has. As values, and
// each kind in the order of its index, so that Postgres reads no event that is not wanted, independent of its statistics.
const outermost = '(SELECT number FROM agentkit.runs WHERE run_id = $1 AND root IS NULL)'
const member = '(SELECT number FROM agentkit.runs WHERE run_id = $1 AND root IS NOT NULL)'
const eventsText = `(SELECT seq, body FROM agentkit.events WHERE run = ${outermost} AND seq > $2 ORDER BY run, seq LIMIT $3)
  UNION ALL (SELECT seq, body FROM agentkit.events WHERE member = ${member} AND seq > $2 ORDER BY member, seq LIMIT $3)
  ORDER BY seq`
const endOf = (order: 'ASC' | 'DESC'): string => `coalesce(
  (SELECT seq FROM agentkit.events WHERE run = ${outermost} ORDER BY run ${order}, seq ${order} LIMIT 1),
  (SELECT seq FROM agentkit.events WHERE member = ${member} ORDER BY member ${order}, seq ${order} LIMIT 1))`
const rangeText = `SELECT ${endOf('ASC')} AS oldest, ${endOf('DESC')} AS last`
