import type { StoredRun } from '../../contracts/run-store.ts'
import { AgentKitError, abortError } from '../../data/errors.ts'
import type { Message } from '../../data/message.ts'
import { isEnded } from '../../data/run-record.ts'
import { visibleMessages } from '../../data/transcript.ts'
import type { FollowOptions } from '../../runs/driver/background.ts'
import type { RunResult } from '../../runs/driver/run.ts'
import { isSignal } from '../../runs/driver/run-options.ts'
import { watchRun } from '../../runs/follow.ts'
import { textOf } from '../../runs/reply.ts'
import { readSnapshot } from '../../runs/snapshot.ts'
import { withWaitingMembers } from '../../runs/tree-spent.ts'
import { optionsOf, progressOf, sourcesSoFar } from '../../sessions/recorded-data.ts'
import { isId, type OptionRules } from '../../util/options/check-options.ts'
import { checkCall, type Owner, requireRun, runStoreOf } from './stored-runs.ts'

type ResultOptions = Omit<FollowOptions, 'after'>

const resultRules = { userId: isId, signal: isSignal } satisfies OptionRules<ResultOptions>

/** The result of a stored run, once it is done, failed or waiting. */
export async function resultOf(owner: Owner, runId: string, options: ResultOptions): Promise<RunResult> {
  const runs = runStoreOf(owner)
  checkCall(runId, options, resultRules)
  const { userId, signal } = options
  const changes = watchRun(runs, runId, signal)
  try {
    for (;;) {
      if (signal?.aborted) throw abortError(signal)
      changes.reset()
      const stored = await requireRun(owner, runs, runId, userId)
      const { status } = stored.record
      if (isEnded(status) || status === 'waiting') return await toResult(owner, stored)
      await changes.next()
    }
  } finally {
    changes.stop()
  }
}

async function toResult({ store }: Owner, own: StoredRun): Promise<RunResult> {
  const stored = await withWaitingMembers(store, own)
  const { record } = stored
  const { runId, approvals, status, usage = {}, cost } = record
  const progress = progressOf(stored)
  const snapshot = readSnapshot(progress?.snapshot)
  const { steps = 0, warnings = [] } = snapshot?.progress ?? {}
  const finishReason = record.finishReason ?? (status === 'waiting' ? 'approval' : 'error')
  const turn = await store.find(runId)
  const messages: Message[] = turn ? turn.messages.slice(optionsOf(stored).seeded) : []
  const said = messages.findLast(({ role }) => role === 'assistant')
  // The text of a run that waits is stored with its messages alone.
  const text = record.text ?? (status === 'waiting' && said?.role === 'assistant' ? textOf(said) : '')
  const result = {
    ...{ runId, text, approvals, usage, steps, warnings },
    sources: sourcesSoFar(stored),
    messages: turn ? visibleMessages({ ...turn, messages }) : [],
    ...(cost && { cost }),
  }
  if (finishReason === 'stop') return { ...result, finishReason, output: progress?.output }
  if (!record.error) return { ...result, finishReason, output: undefined }
  const { code, message, ...details } = record.error
  const error = new AgentKitError(code, message, { ...details, runId, usage })
  return { ...result, finishReason, output: undefined, error }
}
