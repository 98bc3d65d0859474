import type { AgentEvent, RunEnding } from '@agentkit/core'
import { endWithCaller } from '@agentkit/core/internal'
import { jsonOrNull, readable, toJSON } from '../../util/json.ts'
import type { Writing } from '../database/store-access.ts'
import type { RunHead } from './rows.ts'
import { readRecord, readStoredRun } from './run-rows.ts'
import { addEvents } from './stored-events.ts'
import { prepareEntry } from './write-entry.ts'

/** How a run ends, as columns. */
export type EndingColumns = Record<
  'status' | 'finishReason' | 'answer' | 'error' | 'cost' | 'sources' | 'usage',
  string | null
>

type Changed = Omit<Writing, 'holder'>
type EventsOfRun = Pick<RunHead, 'number' | 'keeps_events' | 'is_background'>
type EndedRow = EventsOfRun & Pick<RunHead, 'session' | 'attempt'>
type ChangedRun = EndedRow & Pick<RunHead, 'notifies'>

type Ending = RunEnding & { events?: readonly AgentEvent[] }

/**
 * Ends a run, its member runs first.
 * @param addLast adds the last events of the run itself, if `ending` does not have them
 */
export function endRun(
  writing: Changed,
  runId: string,
  run: ChangedRun,
  ending: Ending,
  addLast = (): void => addLastEvents(writing, run, ending),
): void {
  if (run.is_background) endMembers(writing, runId, ending)
  addLast()
  endRow(writing, runId, run, ending)
  afterStop(writing, runId, run)
}

function endingColumns({ status, finishReason, text, error, usage, cost, sources }: RunEnding): EndingColumns {
  return {
    status,
    finishReason,
    answer: text ?? null,
    error: jsonOrNull(error),
    usage: jsonOrNull(usage),
    cost: jsonOrNull(cost),
    sources: jsonOrNull(sources),
  }
}

function addLastEvents({ statements, touch }: Changed, run: EventsOfRun, { events = [] }: Ending): void {
  addEvents(statements, touch, run, prepareEntry({ events }).events)
}

/** Frees the caller of a run that has ended or was suspended, and adds the notice of the run. */
export function afterStop(
  writing: Changed,
  runId: string,
  run: Pick<RunHead, 'number' | 'is_background' | 'notifies'>,
): void {
  const { statements, touch } = writing
  if (run.is_background) {
    const parent = statements.freeParent.get(run.number)?.run_id
    if (typeof parent === 'string') touch(parent)
  }
  if (run.notifies) addNotice(writing, runId, run.number)
}

function endRow({ statements, touch, now }: Changed, runId: string, run: EndedRow, ending: Ending): void {
  statements.endRun.run({ ...endingColumns(ending), number: run.number, now })
  // A run that never began changes no conversation.
  if (run.attempt > 0) statements.moveSession.run(now, run.session)
  touch(runId)
}

function endMembers(writing: Changed, runId: string, caller: RunEnding): void {
  // The rows have the columns that the statement selects.
  for (const member of writing.statements.openMembers.all(runId) as (EndedRow & { run_id: string })[]) {
    // A damaged run ends without an event.
    const [stored] = readable([member.run_id], (id) => readStoredRun(writing.statements, id))
    const ending = endWithCaller(caller, stored)
    addLastEvents(writing, member, ending)
    endRow(writing, member.run_id, member, ending)
  }
}

function addNotice({ statements, now }: Changed, runId: string, number: number): void {
  // A run with a damaged record ends too, without a notice.
  const [record] = readable([runId], (id) => readRecord(statements, id))
  if (record) statements.addNotice.run(`msg_${crypto.randomUUID()}`, number, record.agentId, now, now, toJSON(record))
}
