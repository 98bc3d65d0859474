import type { AgentKitError, StoredRun } from '@agentkit/core'
import { conflict, hasEnded, sessionHeld, sessionMoved, unknownRun } from '../../util/conflicts.ts'
import type { Writing } from '../database/store-access.ts'
import type { Statements } from '../statements/statements.ts'
import { isLost, settleLostRun } from './begin-run.ts'
import { findActive, findRun, type RunHead } from './rows.ts'
import { readStoredRun } from './run-rows.ts'

/** The columns that are stored with the takeover of a run that has not begun. */
export type BeginningColumns = {
  bodies: readonly string[]
  deadline: number | null
  options: string | null
  notifies: number
}

/** @returns the run; or the refusal, because throwing it would roll back the settlement of a lost run */
export function takeOver(
  writing: Writing,
  runId: string,
  expectedVersion: number,
  beginning: BeginningColumns | undefined,
): StoredRun | AgentKitError {
  const { statements, touch, holder, now } = writing
  const run = findRun(statements, runId)
  if (!run) return unknownRun(runId)
  const refusal = refusalToTakeOver(statements, run)
  if (refusal) return refusal
  const isRunning = run.status === 'running' && run.holder !== null
  if (isRunning && !isLost(run, holder)) return conflict(`The run ${runId} is running already.`)

  if (!(run.status === 'running' && run.holds_session)) {
    const refused = acquireSession(writing, run, expectedVersion)
    if (refused) return refused
  }
  const number = beginning ? storeBeginning(statements, run, beginning) : run.number
  statements.takeRun.run({ holder: holder.id, isLost: isRunning ? 1 : 0, now, number })
  holder.beat(statements)
  touch(runId)
  // The cast holds: the run was found above, within this transaction.
  return readStoredRun(statements, runId) as StoredRun
}

function refusalToTakeOver(statements: Statements, run: RunHead): AgentKitError | undefined {
  const { run_id, number, status } = run
  switch (status) {
    case 'done':
    case 'failed':
      return hasEnded(run_id)
    case 'waiting':
      return statements.isDecided.get(number) ? undefined : conflict(`The run ${run_id} waits for a decision.`)
    case 'running':
      return run.awaits_members ? conflict(`The run ${run_id} waits for its members.`) : undefined
    case 'queued':
      return undefined
  }
}

/** The session for a run that does not hold it. @returns the refusal */
function acquireSession(writing: Writing, run: RunHead, expectedVersion: number): AgentKitError | undefined {
  const { statements, now } = writing
  settleLostRun(writing, run.session)
  if (findActive(statements, run.session)) return sessionHeld()
  if (run.status === 'queued') {
    if (statements.decidedRun.get(run.session)) return sessionHeld()
    if (statements.directWaits.get({ session: run.session, now }))
      return conflict('A direct run of the session is before it.', true)
    if (statements.earlierQueued.get(run.number)) return conflict('An earlier run of the session is queued.', true)
  }
  if (statements.versionOfSession.get(run.session)?.version !== expectedVersion) return sessionMoved()
  statements.moveSession.run(now, run.session)
  return undefined
}

/** @returns the number of the run, which changes as it takes its place in the conversation */
function storeBeginning(
  statements: Statements,
  { number, status }: RunHead,
  { bodies, deadline, options, notifies }: BeginningColumns,
): number {
  statements.describeRun.run(deadline, options, notifies, number)
  if (statements.messagesOfRun.get(number)) return number
  const place = status === 'queued' ? placeLast(statements, number) : undefined
  bodies.forEach((body, position) => void statements.addMessage.run(place ?? number, position, body))
  return place ?? number
}

/** @returns the number that it has now, where it is another one */
function placeLast(statements: Statements, number: number): number | undefined {
  // The rows have the columns that the statements select.
  const events = statements.dropEvents.all(number) as { seq: number; body: string }[]
  const place = statements.placeLast.get(number)?.number as number | undefined
  for (const { seq, body } of events) statements.addEvent.run(place ?? number, seq, body)
  return place
}
