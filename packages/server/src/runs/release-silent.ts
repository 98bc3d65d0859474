import type { Runnable, SessionStore, StoredRun } from '@agentkit/core'
import { handBackRuns, resumableRuns, sleep } from '@agentkit/core/internal'
import type { Readers } from '../capacity/readers.ts'

/** How long a model may be silent while the server stops. */
const silentMs = 2_000

type ReleaseOptions = { readers: Readers; signal: AbortSignal; everyMs?: number }

/**
 * Hands back resumable runs that no client reads and whose model is silent, for the next server: there the call of the model
 * is made again. Tools that run and the runs of workers have their time.
 * @param options.signal ends it
 */
export async function releaseSilent(
  { id, sessions }: Pick<Runnable, 'id' | 'sessions'>,
  { readers, signal, everyMs = silentMs }: ReleaseOptions,
): Promise<void> {
  const { runs } = sessions
  if (!runs) return
  let before = new Map<string, number>()
  while (!signal.aborted) {
    const now = new Map<string, number>()
    for (const runId of resumableRuns(sessions, id)) {
      const stored = readers.has(runId) ? undefined : await runs.read(runId)
      if (stored && (await awaitsModel(sessions, stored))) now.set(runId, stored.lastSeq)
    }
    const silent = [...now].flatMap(([runId, seq]) => (before.get(runId) === seq ? [runId] : []))
    if (silent.length > 0) await handBackRuns(sessions, 0, silent)
    before = now
    await sleep(everyMs, signal).catch(() => {})
  }
}

/** Whether a run has no call that is not answered. One that keeps no events does not show whether its model is silent. */
async function awaitsModel(sessions: SessionStore, stored: StoredRun): Promise<boolean> {
  const { record, calls, keepsEvents, isBackground } = stored
  if (!keepsEvents || isBackground || record.status !== 'running') return false
  const turn = await sessions.find(record.runId)
  const answered = new Set(turn?.messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  return calls.every(({ callId }) => answered.has(callId))
}
