import type { StoredRun } from '../../contracts/run-store.ts'
import { AgentKitError, abortError } from '../../data/errors.ts'
import type { Message } from '../../data/message.ts'
import { isEnded } from '../../data/run-record.ts'
import { visibleMessages } from '../../data/transcript.ts'
import type { AgentSpec } from '../../loop/run/types.ts'
import type { FollowOptions } from '../../runs/driver/background.ts'
import type { RunResult } from '../../runs/driver/run.ts'
import { isSignal } from '../../runs/driver/run-options.ts'
import { watchRun } from '../../runs/follow.ts'
import { textOf } from '../../runs/reply.ts'
import { readSnapshot } from '../../runs/snapshot.ts'
import { withWaitingMembers } from '../../runs/tree-spent.ts'
import { readOutput } from '../../schema/structured-output.ts'
import { optionsOf, progressOf, sourcesSoFar } from '../../sessions/recorded-data.ts'
import { isId, type OptionRules } from '../../util/options/check-options.ts'
import { checkCall, type Owner, requireRun, runStoreOf } from './stored-runs.ts'

/** The agent whose result it is: its schema returns the output. */
export type ResultOwner = Owner & { outputFormat: AgentSpec['outputFormat'] }

type ResultOptions = Omit<FollowOptions, 'after'>

const resultRules = { userId: isId, signal: isSignal } satisfies OptionRules<ResultOptions>

/** The result of a stored run, once it is done, failed or waiting. */
export async function resultOf(owner: ResultOwner, runId: string, options: ResultOptions): Promise<RunResult> {
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
      if (isEnded(status) || status === 'waiting') return await toResult(owner, stored, signal)
      await changes.next()
    }
  } finally {
    changes.stop()
  }
}

async function toResult(owner: ResultOwner, own: StoredRun, signal: AbortSignal | undefined): Promise<RunResult> {
  const { store } = owner
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
  if (finishReason === 'stop') {
    return { ...result, finishReason, output: await outputOf(owner, text, progress?.output, signal) }
  }
  if (!record.error) return { ...result, finishReason, output: undefined }
  const { code, message, ...details } = record.error
  const error = new AgentKitError(code, message, { ...details, runId, usage })
  return { ...result, finishReason, output: undefined, error }
}

/** What the schema returns for the stored answer. The store has what JSON makes of it, such as the text of a Date. */
async function outputOf(
  { outputFormat }: ResultOwner,
  text: string,
  stored: unknown,
  signal = new AbortController().signal,
): Promise<undefined> {
  if (stored === undefined || !outputFormat) return stored as undefined
  const read = await readOutput({ text, calls: [] }, await outputFormat(), signal)
  // A newer schema may refuse what an older one accepted.
  return (read.kind === 'output' ? read.value : stored) as undefined
}
