import type { BackgroundRuns, QueuedRunEntry, RunStore, StoredRun } from '@agentkit/core'
import { conflict, done, type RunsUnderTest } from '../run-store-contract/runs.ts'
import { key, load } from '../session-store-contract/turns.ts'

/** Stores of one database, with their background runs. */
export type BackgroundUnderTest = RunsUnderTest & {
  background: BackgroundRuns
  /** Moves the clock of the database forward. */
  moveTime(ms: number): void | Promise<void>
}

/** The stores of the current test. */
export type GetBackground = () => BackgroundUnderTest

export const bounds = { queued: 1_000, userQueued: 1_000 }
/** The refusal of a run that has to wait for others of its session. */
export const tooEarly: { code: string; retryable: true } = { ...conflict, retryable: true }

/** A run that is queued in the session of `key`. */
export function queued(runId: string, options: Partial<QueuedRunEntry> = {}): QueuedRunEntry {
  return { key, runId, agentId: key.agentId, options: { input: runId }, title: runId, onBusy: 'queue', ...options }
}

/** A queued run without a session: the agent of its key is another one. */
export function alone(runId: string, options: Partial<QueuedRunEntry> = {}): QueuedRunEntry {
  const userId = options.key?.userId ?? key.userId
  return queued(runId, { ...options, key: aloneKey(runId, userId) })
}

export function aloneKey(runId: string, userId: string = key.userId): QueuedRunEntry['key'] {
  return { agentId: 'helper:run', userId, sessionId: runId }
}

export async function enqueue(
  { background }: Pick<BackgroundUnderTest, 'background'>,
  ...entries: QueuedRunEntry[]
): ReturnType<BackgroundRuns['enqueue']> {
  return background.enqueue(entries, bounds)
}

/** Begins or continues a run as a worker does, at the present version of its session. */
export async function takeOver(
  { store, runs }: Pick<BackgroundUnderTest, 'store' | 'runs'>,
  runId: string,
  session: QueuedRunEntry['key'] = key,
): Promise<StoredRun> {
  const expectedVersion = (await store.load(session))?.version ?? 0
  return runs.takeOver(runId, {
    expectedVersion,
    begin: { messages: [{ v: 1, role: 'user', content: runId }], deadline: 5 },
  })
}

/** The same for a run without a session. */
export function takeOverAlone(stores: Pick<BackgroundUnderTest, 'store' | 'runs'>, runId: string): Promise<StoredRun> {
  return takeOver(stores, runId, aloneKey(runId))
}

export async function finish(runs: RunStore, runId: string, attempt = 1): Promise<void> {
  await runs.end(runId, { attempt, ...done })
}

export async function statusOf(runs: RunStore, runId: string): Promise<string | undefined> {
  return (await runs.read(runId))?.record.status
}

/** The texts of the session's messages that a model sees. */
export async function textsOf({ store }: Pick<BackgroundUnderTest, 'store'>): Promise<unknown[]> {
  return (await load(store, key)).messages.map(({ content }) => content)
}
