import { AgentKitError, type AgentRun } from '@agentkit/core'

/** The runs of this process by session, so that a session can be deleted. */
export type SessionRuns = {
  /** Reads the run's result, so it starts unless its events are being read. */
  add(place: Place, run: AgentRun): void
  /** Adds a run that waits for a place. @returns called when it waits no longer */
  addWaiting(place: Place, refuse: (reason: Error) => void): () => void
  /** Refuses the runs of a session that wait for a place. @returns whether there were any */
  refuse(place: Place): boolean
  /** Ends the runs of a session, and waits until they have settled, at most two seconds. */
  cancel(place: Place): Promise<void>
}

type Place = { userId: string; sessionId: string }

/** How long a run may take to settle after it is cancelled. */
const settleMs = 2_000

export function createSessionRuns(): SessionRuns {
  const sessions = new Map<string, Map<AgentRun, Promise<void>>>()
  const waiting = new Map<string, Set<(reason: Error) => void>>()
  const refuse = (place: Place): boolean => {
    const found = [...(waiting.get(idOf(place)) ?? [])]
    for (const one of found) one(new AgentKitError('aborted', 'The run was cancelled.'))
    return found.length > 0
  }
  return {
    refuse,
    addWaiting(place, refuse) {
      const id = idOf(place)
      const all = waiting.get(id) ?? new Set()
      waiting.set(id, all.add(refuse))
      return () => {
        all.delete(refuse)
        if (all.size === 0) waiting.delete(id)
      }
    },
    add(place, run) {
      const id = idOf(place)
      const runs = sessions.get(id) ?? new Map<AgentRun, Promise<void>>()
      const remove = (): void => {
        runs.delete(run)
        if (runs.size === 0) sessions.delete(id)
      }
      sessions.set(id, runs.set(run, run.result.then(remove, remove)))
    },
    async cancel(place) {
      refuse(place)
      const runs = [...(sessions.get(idOf(place)) ?? [])]
      if (runs.length === 0) return
      for (const [run] of runs) run.cancel()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, settleMs)
      })
      await Promise.race([Promise.all(runs.map(([, settled]) => settled)), late])
      clearTimeout(timer)
    },
  }
}

/** ("a", "b_c") and ("a_b", "c") stay different. */
function idOf({ userId, sessionId }: Place): string {
  return JSON.stringify([userId, sessionId])
}
