import { AgentKitError, type TakenJob } from '@agentkit/core'
import { coalesce } from './coalesce.ts'
import type { QueueDatabase } from './queue-database.ts'
import { agentsWithJobs, type TakenRow, takeJobs } from './take-jobs.ts'

/** Takes the jobs of one worker, and wakes its listeners when there are some. */
export class JobTaker {
  readonly #database: QueueDatabase
  readonly #listeners = new Set<{ agentIds: readonly string[]; wake: () => void }>()
  #lastUser = ''
  /** The time until which no job is expected, unless one is announced. */
  #idleUntil = 0
  #searchedAt = 0

  constructor(database: QueueDatabase) {
    this.#database = database
  }

  /** The order in which jobs are taken keeps `perUser`: a user has more than others only while the others have no jobs. */
  async take(agentIds: readonly string[], limit: number, idleMs: number): Promise<TakenJob[]> {
    if (agentIds.length === 0 || performance.now() < this.#idleUntil) return []
    const taken: TakenRow[] = []
    this.#searchedAt = performance.now()
    this.#idleUntil = this.#searchedAt + idleMs
    while (taken.length < limit) {
      const rows = await this.#takeOnce(agentIds, limit - taken.length)
      taken.push(...rows)
      const last = rows.at(-1)
      if (!last) break
      this.#lastUser = last.group
      if (last.isAll) break
    }
    if (taken.length > 0) this.#idleUntil = 0
    return taken.map(({ id, retryCount, agentId, data }) => ({
      ...{ runId: data.runId, agentId, userId: JSON.parse(data.user) },
      token: `${id} ${retryCount}`,
    }))
  }

  onReady(agentIds: readonly string[], listener: () => void): () => void {
    const callListener = (): void => {
      if (this.#listeners.has(entry)) listener()
    }
    const entry = { agentIds, wake: coalesce(callListener, 20) }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** @param agentIds the agents that have jobs; absent, it may be any of them */
  wake(agentIds?: readonly string[]): void {
    this.#idleUntil = 0
    for (const listener of this.#listeners) {
      if (!agentIds || listener.agentIds.some((id) => agentIds.includes(id))) listener.wake()
    }
  }

  /** Looks for jobs that were not announced, unless `take` has done so a short time ago. */
  async poll(idleMs: number): Promise<void> {
    const agentIds = [...this.#listeners].flatMap((listener) => listener.agentIds)
    if (agentIds.length === 0 || performance.now() - this.#searchedAt < Math.max(900, idleMs)) return
    this.#searchedAt = performance.now()
    const found = await this.#database.query<{ id: string }>(agentsWithJobs, [agentIds])
    if (found.length > 0) this.wake(found.map(({ id }) => id))
  }

  removeListeners(): void {
    this.#listeners.clear()
  }

  async #takeOnce(agentIds: readonly string[], limit: number): Promise<TakenRow[]> {
    for (let tries = 0; tries < 5; tries++) {
      try {
        return await this.#database.query<TakenRow>(takeJobs, [agentIds, this.#lastUser, limit, limit + 16])
      } catch (error) {
        // Another worker has taken a job of the same session at this moment.
        if (!(error instanceof AgentKitError && Object(error.cause).code === '23505')) throw error
      }
    }
    return []
  }
}
