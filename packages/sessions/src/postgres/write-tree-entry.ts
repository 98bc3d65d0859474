import { notRunning } from '../util/conflicts.ts'
import type { Writing } from './access.ts'
import { endMembers } from './end-runs.ts'
import { lockRun } from './rows.ts'
import { toStored } from './text-form.ts'
import { type EntryOptions, hasOnlyEvents, type PreparedEntry, type Written, writeEntry } from './write-entry.ts'

/**
 * Stores an entry of a run that has members, or of a member. All events of the tree are in one stream: each gets the
 * number that it brings, or the one above the last.
 */
export async function writeTreeEntry(
  writing: Writing,
  runId: string,
  entry: PreparedEntry,
  options: EntryOptions,
): Promise<Written | 'in tree'> {
  const { query, holder } = writing
  // The outermost run first: its row is the lock of the stream.
  const [stream] = await query<{ number: number; last_seq: number }>(streamText, [toStored(runId)])
  const run = await lockRun(query, holder, runId)
  const isAttempt = run && (entry.attempt === undefined || run.attempt === entry.attempt)
  const onlyEvents = !options.ending && !options.isLeaving && hasOnlyEvents(entry)
  const isOpen = run?.status === 'running' || (onlyEvents && run?.status === 'waiting')
  const isHeld = isAttempt && isOpen && (onlyEvents || run.holder !== null)
  let written: Written = { count: run?.message_count ?? 0, isRepeated: false }
  if (!onlyEvents) {
    const outcome = await writeEntry(writing, runId, { ...entry, events: [[], []] }, { ...options, inTree: true })
    if (outcome === 'in tree') return outcome
    written = outcome
  } else if (!isHeld) throw notRunning(runId)
  if (!written.isRepeated && run && stream && run.keeps_events) await addEvents(writing, run, stream, entry.events)
  if (options.ending && !written.isRepeated && run) await endMembers(writing, run.number)
  return written
}

const streamText = `SELECT number, last_seq FROM agentkit.runs
  WHERE number = (SELECT coalesce(root, number) FROM agentkit.runs WHERE run_id = $1) FOR NO KEY UPDATE`

async function addEvents(
  { query }: Writing,
  run: { number: number; own_seq: number },
  stream: { number: number; last_seq: number },
  [given, bodies]: PreparedEntry['events'],
): Promise<void> {
  let last = stream.last_seq
  const seqs: number[] = []
  const fresh = bodies.filter((_, index) => (given[index] ?? 0) > run.own_seq)
  for (const seq of given.filter((own) => own > run.own_seq)) {
    last = Math.max(seq, last + 1)
    seqs.push(last)
  }
  if (seqs.length === 0) return
  const member = run.number === stream.number ? null : run.number
  await query(addEventsText, [stream.number, member, seqs, fresh])
  await query('UPDATE agentkit.runs SET last_seq = $2 WHERE number = $1', [stream.number, last])
  await query('UPDATE agentkit.runs SET own_seq = $2 WHERE number = $1', [run.number, Math.max(...given)])
}

const addEventsText = `INSERT INTO agentkit.events (run, member, seq, body)
  SELECT $1::bigint, $2::bigint, e.* FROM unnest($3::bigint[], $4::text[]) AS e`
