import type { RunStore, StoredRun } from '@agentkit/core'
import { sourcesSoFar, statusTime } from '@agentkit/core/internal'
import type { RouteParts } from '../../request/parts.ts'
import { runStoreOf } from '../../request/run-store.ts'
import { findRun } from '../../runs/find-run.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { type Task, taskOf } from './task.ts'

/** @throws ProblemError `not-found` */
export async function readTask(parts: RouteParts, runId: string, userId: string): Promise<Task> {
  return taskWithAnswer(parts, await findRun(parts, runId, userId))
}

/** The task of a stored run, with its answer. */
export async function taskWithAnswer(parts: RouteParts, stored: StoredRun): Promise<Task> {
  const reader = await readAnswer(parts, stored)
  const { record } = stored
  return taskOf(record, reader ?? { text: record.text ?? '', sources: sourcesSoFar(stored) }, statusTime(stored))
}

const eventsAtOnce = 500

/** The answer of a run up to now; `undefined` if its events are not stored, or were removed. */
export async function readAnswer({ agent }: RouteParts, stored: StoredRun): Promise<AnswerReader | undefined> {
  const runs = runStoreOf(agent)
  const { record, keepsEvents, lastSeq } = stored
  if (!keepsEvents || (await isCut(runs, stored))) return undefined
  const reader = new AnswerReader({ speaker: agent.speaker })
  for (let after = 0; after < lastSeq; ) {
    const events = await runs.events(record.runId, after, eventsAtOnce)
    // Later events are for clients that follow the run from there.
    for (const event of events) if (event.seq <= lastSeq) reader.read(event)
    const last = events.at(-1)
    if (!last) break
    after = last.seq
  }
  return reader
}

async function isCut(runs: RunStore, { record, lastSeq }: StoredRun): Promise<boolean> {
  const range = await runs.eventRange(record.runId)
  return range ? range.oldest > 1 : lastSeq > 0
}
