import type { StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError, isAgentKitError, toErrorInfo } from '../data/errors.ts'
import type { Message, ToolMessage } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { SessionKey } from '../data/session-data.ts'
import { unansweredCalls } from '../data/transcript.ts'
import { untilAborted } from '../util/async/abort.ts'
import { type EndOfTree, withEndEvent } from './end-event.ts'
import { acquireRun, cancelLive } from './live-runs.ts'
import { takeOverRun } from './recorded-run.ts'
import { acquireSuspended, entryOf } from './suspended-runs.ts'
import { forgetUnendedRun } from './unended-runs.ts'

type NextQuestion = {
  store: SessionStore
  key: SessionKey
  signal: AbortSignal
  onBusy: OnBusy
  interrupt(reason: AgentKitError): void
  endOfTree?: EndOfTree
}

/** What the model reads of a call that no client has answered. */
const unanswered = 'The client did not answer the call: the user asked something else.'

/**
 * Ends the runs of a session that wait for nothing but results of client tools, as their user asks something else. Their
 * calls have a result that says so. Where other approvals are open too, those stay open.
 */
export async function settleUnanswered(question: NextQuestion): Promise<void> {
  const { store, key, signal } = question
  const { runs } = store
  if (!runs) return settleStored(question)
  const { agentId, userId, sessionId } = key
  const filter = { sessionId, status: 'waiting', limit: 100 } as const
  for (const { runId } of await untilAborted(signal, runs.list({ agentId, userId }, filter))) {
    const stored = await untilAborted(signal, runs.read(runId))
    if (stored) await settleRun(question, stored)
  }
}

async function settleRun(question: NextQuestion, stored: StoredRun): Promise<void> {
  const { store, endOfTree = async (...given) => withEndEvent(...given) } = question
  const { runs } = store
  const { runId } = stored.record
  const open = stored.approvals.filter(({ kind, decision }) => kind === 'client-tool' && decision === undefined)
  if (!runs || open.length === 0) return
  // A run of this process that waits for the decisions does not continue.
  const release = acquireRun(store, runId)
  try {
    const denied = open.map(({ approvalId }) => [approvalId, { deny: unanswered }] as const)
    if ((await runs.decide(runId, Object.fromEntries(denied))) !== 'running') return
    const error = toErrorInfo(notAnswered(open.map(({ name }) => name)))
    const ending = { status: 'failed', finishReason: 'aborted', error } as const
    if (stored.isBackground) {
      await runs.cancel(runId, await endOfTree(stored, ending))
      return
    }
    const taken = await takeOverRun({ ...question, runs, key: stored.key, runId })
    try {
      const { messages, attempt, position } = taken.found
      await runs.end(runId, { ...withEndEvent(stored, ending), attempt, position, messages: resultsOf(messages) })
      forgetUnendedRun(store, stored.key, runId)
    } finally {
      taken.release()
    }
  } catch (error) {
    // The call was answered meanwhile, or another run holds the session: the next question waits for that run as well.
    if (!isAgentKitError(error) || !['session-conflict', 'session-busy', 'not-found'].includes(error.code)) throw error
  } finally {
    release()
  }
}

/** The same in a store without `runs`. */
async function settleStored(question: NextQuestion): Promise<void> {
  const { store, key, signal } = question
  for (const { runId, status, state } of await untilAborted(signal, store.turns(key))) {
    const { progress } = Object(entryOf(state)?.waiting) as { progress?: { clientCalls?: string[] } }
    if (status !== 'waiting' || !isRecord(progress) || !progress.clientCalls?.length) continue
    await cancelLive(store, runId)
    const taken = await acquireSuspended({ ...question, runId }).catch((error) => {
      if (isAgentKitError(error) && error.code !== 'storage') return undefined
      throw error
    })
    if (!taken) continue
    try {
      const { messages, usage } = taken.found
      await store.append(runId, resultsOf(messages))
      await store.end(runId, 'failed', usage)
      forgetUnendedRun(store, key, runId)
    } finally {
      taken.release()
    }
  }
}

function resultsOf(messages: readonly Message[]): ToolMessage[] {
  return unansweredCalls(messages).map(({ callId, name }) => ({
    ...{ v: 1, role: 'tool', callId, name, content: unanswered, isError: true },
  }))
}

function notAnswered(names: readonly string[]): AgentKitError {
  const what = names.map((name) => `"${name}"`).join(', ')
  return new AgentKitError('aborted', `The client did not answer ${what} before the next question of the session.`)
}
