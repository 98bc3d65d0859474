import { AgentKitError, type RunEnding, type StoredRun } from '@agentkit/core'
import {
  cutTitle,
  isEnded,
  plainText,
  type RunOfTree,
  toErrorInfo,
  treeSpentNow,
  withEndEvent,
} from '@agentkit/core/internal'
import { conflict, sessionHeld, sessionMoved } from '../../util/conflicts.ts'
import { readable } from '../../util/json.ts'
import type { RunToBegin } from '../../util/run-to-begin.ts'
import type { Holder } from '../database/holders.ts'
import type { Writing } from '../database/store-access.ts'
import { removeJobs } from '../queue/queued-jobs.ts'
import type { Statements } from '../statements/statements.ts'
import { endRun } from './end-run.ts'
import {
  addSession,
  findActive,
  findRun,
  findSession,
  type RunHead,
  readTurn,
  type SessionRow,
  type TurnRow,
} from './rows.ts'
import { readStoredRun } from './run-rows.ts'

/**
 * Begins a run in its session.
 * @returns the attempt; or the refusal, because throwing it would roll back the settlement of a lost run
 */
export function beginRun(writing: Writing, run: RunToBegin<number>): number | AgentKitError {
  const { statements, touch, holder, now } = writing
  const { key, runId, bodies, replaces } = run
  const session = findSession(statements, key)
  const settled = session !== undefined && settleLostRun(writing, session.id)
  if ((session?.version ?? 0) + (settled ? 1 : 0) !== run.expectedVersion) return sessionMoved()

  const from = replaces === undefined ? undefined : findReplaced(statements, session, replaces)
  if (replaces !== undefined && from === undefined) {
    return new AgentKitError('not-found', `There is no run ${replaces} in this session.`)
  }
  const active = session && findActive(statements, session.id)
  if (active && !(from !== undefined && active.number >= from)) return sessionHeld()
  const used = findRun(statements, runId)
  if (used && !(run.mayBeginAgain && isSuspendedIn(used, session))) return conflict(`There is a run ${runId} already.`)

  const question = run.input.find(({ role }) => role === 'user')
  const title = question ? cutTitle(plainText(question)) : null
  const sessionId = session?.id ?? addSession(statements, key, now, title)
  if (from !== undefined) replaceRuns(writing, sessionId, from)
  statements.moveSession.run(now, sessionId)
  holder.beat(statements)
  touch(runId)
  if (used) {
    statements.takeRun.run({ holder: holder.id, isLost: 0, now, number: used.number })
    return used.attempt + 1
  }
  const { userId } = key
  const number = statements.addRun.get({ ...run.columns, runId, session: sessionId, userId, holder: holder.id, now })
    ?.number as number
  bodies.forEach((body, position) => void statements.addMessage.run(number, position, body))
  // The first question may have been replaced.
  if (session?.is_untitled || from !== undefined) statements.setQuestion.run(title, sessionId)
  return 1
}

/**
 * Settles the run that holds a session as failed if its store is dead and nothing will resume it.
 * @returns whether it did, which moves the version
 */
export function settleLostRun(writing: Writing, session: number): boolean {
  const { statements, holder } = writing
  const active = findActive(statements, session)
  if (!active || !isAbandoned(active, holder)) return false
  failRun(writing, active, 'error', new AgentKitError('crashed', 'The process of the run ended before the run did.'))
  if (active.holder !== null) statements.removeIdleHolder.run(active.holder)
  return true
}

/** Lost, and not to be resumed. */
export function isAbandoned(run: RunHead, holder: Holder): boolean {
  return isLost(run, holder) && !run.is_resumable
}

/** Whether the process of a running run has died. */
export function isLost(run: RunHead, holder: Holder): boolean {
  return run.holder !== null && !holder.isAlive(run, run.run_id, run.attempt)
}

/** The number of the first run that is replaced. */
export function findReplaced(
  statements: Statements,
  session: SessionRow | undefined,
  runId: string,
): number | undefined {
  const run = findRun(statements, runId)
  return run && run.session === session?.id && !run.replaced ? run.number : undefined
}

function isSuspendedIn(run: RunHead, session: SessionRow | undefined): boolean {
  return run.session === session?.id && run.status === 'waiting'
}

/** Hides runs and the turns of their members. The state of the session becomes what it was before them. */
export function replaceRuns(writing: Writing, session: number, from: number): void {
  const { statements, touch, now } = writing
  // The rows have the columns of a head.
  for (const run of statements.runsFrom.all(session, from) as RunHead[]) {
    const error = new AgentKitError('aborted', 'A later run of the session replaces this one.')
    if (!isEnded(run.status)) failRun(writing, run, 'aborted', error)
    statements.replaceRun.run(run.number)
    const members = statements.replaceMembers.all(`${run.run_id}/`, `${run.run_id}0`)
    for (const { session: ofMember } of members) statements.moveSession.run(now, ofMember as number)
    touch(run.run_id)
  }
  statements.restoreSessionState.run(session)
  statements.forgetQuestion.run(session)
}

/** Ends a run that its own process does not end, with its last event, and with what its members have used. */
export function failRun(writing: Writing, run: RunHead, finishReason: 'error' | 'aborted', error: AgentKitError): void {
  const failed: RunEnding = { status: 'failed', finishReason, error: toErrorInfo(error) }
  // A damaged run ends without an event.
  const [stored] = readable([run.run_id], (runId) => readStoredRun(writing.statements, runId))
  // Of a damaged tree its own usage counts.
  const [spent] = stored?.isBackground ? readable([stored], (each) => spentIn(writing.statements, each)) : []
  endRun(writing, run.run_id, run, stored ? withEndEvent(stored, { ...failed, ...spent }) : failed)
  if (run.status === 'queued') removeJobs(writing.statements, run.run_id, writing.now)
}

function spentIn(statements: Statements, stored: StoredRun): Pick<RunEnding, 'usage' | 'cost'> {
  const withMessages = (run: StoredRun): RunOfTree => {
    const row = statements.turn.get(run.record.runId) as TurnRow | undefined
    return { stored: run, messages: row ? readTurn(statements, row).messages : [] }
  }
  return treeSpentNow(withMessages(stored), (runId) => {
    const member = readStoredRun(statements, runId)
    return member && withMessages(member)
  })
}
