import { notRunning } from '../../util/conflicts.ts'
import type { Writing } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { afterStop, endMembers } from './end-runs.ts'
import { lockRun } from './rows.ts'
import { addTreeEvents, type Stream } from './stored-events.ts'
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
  const { query, holder, touch } = writing
  // The outermost run first: its row is the lock of the stream.
  const readStream = async (): Promise<Stream | undefined> => (await query<Stream>(streamText, [toStored(runId)]))[0]
  let stream = await readStream()
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
  if (options.ending && !written.isRepeated && run) {
    await endMembers(writing, run.number, options.ending)
    stream = await readStream()
  }
  if (stream) touch(fromStored(stream.run_id))
  if (!written.isRepeated && run && stream && run.keeps_events) await addTreeEvents(writing, run, stream, entry.events)
  if (options.ending && !written.isRepeated && run) await afterStop(writing, run.number)
  return written
}

const streamText = `SELECT number, run_id, last_seq FROM agentkit.runs
  WHERE number = (SELECT coalesce(root, number) FROM agentkit.runs WHERE run_id = $1) FOR NO KEY UPDATE`
