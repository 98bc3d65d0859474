import type { StoredRun } from '../contracts/run-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import type { Spent } from '../policies/account.ts'
import { optionsOf, progressOf } from '../sessions/recorded-data.ts'
import type { MemberRun } from './driver/member-run.ts'
import { type MemberOutcome, outcomeOf } from './member-outcome.ts'
import { type RunSnapshot, readSnapshot } from './snapshot.ts'

/** What the stored run of a member began with; `undefined` of another run. */
export function memberRunOf(stored: StoredRun): MemberRun | undefined {
  // Written when its caller created it.
  return optionsOf(stored).member as unknown as MemberRun | undefined
}

/** How the stored run of a member has ended, for its caller. */
export function storedOutcome(stored: StoredRun): MemberOutcome {
  const { finishReason = 'error', text = '', error, runId } = stored.record
  const failure = error && new AgentKitError(error.code, error.message, { retryable: error.retryable, runId })
  const output = finishReason === 'stop' ? progressOf(stored)?.output : undefined
  const outcome = { finishReason, text, output, warnings: warningsOf(stored) }
  return outcomeOf(failure ? { ...outcome, error: failure } : outcome)
}

/** The messages of a member's run without those that were shown to it. @param messages all that are stored of it */
export function messagesOf(stored: Pick<StoredRun, 'options'>, messages: readonly Message[]): Message[] {
  return messages.slice(optionsOf(stored).seeded)
}

/** The warnings of a stored run. */
export function warningsOf(stored: StoredRun): string[] {
  return snapshotIn(stored)?.progress.warnings ?? []
}

/** What a stored run has used with all that it has started. */
export function spentOf(stored: Pick<StoredRun, 'record' | 'progress'>): Spent {
  const { usage = {}, cost } = stored.record
  const { spent } = snapshotIn(stored)?.booked ?? {}
  const { usd = cost?.usd ?? 0, unpriced = false, modelCalls = 0, toolCalls = 0 } = spent ?? {}
  const priced = spent?.priced ?? cost !== undefined
  return { usage: spent?.usage ?? usage, usd, priced, unpriced, modelCalls, toolCalls, ms: 0 }
}

export function snapshotIn(stored: Pick<StoredRun, 'progress'>): RunSnapshot | undefined {
  return readSnapshot(progressOf(stored)?.snapshot)
}
