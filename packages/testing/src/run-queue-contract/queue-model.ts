import type { QueuedJob, TakenJob } from '@agentkit/core'

type ModelJob = QueuedJob & {
  /** When it may be delivered, and by when it is due at the latest. */
  dueAt: number
  dueBy: number
  /** The order in which it was added; undefined where its place is not promised any more. */
  place: number | undefined
  token?: string
  leaseUntil?: number
}

export type Request = { agentIds: readonly string[]; limit: number; perUser?: number }

const leaseMs = 10_000

/** A model of the contract of a queue: the deliveries that it may and must make. */
export class QueueModel {
  readonly jobs: Map<string, ModelJob> = new Map()
  #added = 0
  readonly #now: () => number
  /** Times that are closer to each other than this are not compared. */
  readonly #margin: number

  constructor(now: () => number, margin: number) {
    this.#now = now
    this.#margin = margin
  }

  add(jobs: readonly QueuedJob[]): void {
    for (const job of jobs) {
      const dueAt = Math.max(this.#now(), job.startAfter ?? 0)
      this.jobs.set(job.runId, {
        ...job,
        dueAt,
        dueBy: dueAt,
        place: job.startAfter === undefined ? this.#added : undefined,
      })
    }
    // Jobs of one call have no order among them.
    this.#added++
  }

  /** @returns the fault of this delivery */
  take({ agentIds, limit, perUser }: Request, taken: readonly TakenJob[]): string | undefined {
    if (taken.length > limit) return `${taken.length} jobs instead of ${limit}`
    for (const { runId, agentId, userId, token } of taken) {
      const job = this.jobs.get(runId)
      if (!job) return `${runId} was settled`
      if (job.agentId !== agentId || job.userId !== userId) return `${runId} is of ${job.agentId} and ${job.userId}`
      if (!agentIds.includes(agentId)) return `${runId} is of another agent`
      if (this.#isHeld(job, -this.#margin)) return `${runId} is taken`
      if (job.dueAt > this.#now() + this.#margin) return `${runId} is not due`
      const busy = this.#sessionHolder(job, -this.#margin)
      if (busy) return `${runId} is of the session of ${busy.runId}, which is taken`
      if (job.token !== undefined) job.place = undefined
      Object.assign(job, { token, leaseUntil: this.#now() + leaseMs })
    }
    return this.#wrongOrder(taken) ?? this.#leftBehind(agentIds, limit, perUser, taken)
  }

  /** @returns the fault of the answer */
  keep(jobs: readonly TakenJob[], lost: readonly TakenJob[]): string | undefined {
    for (const { runId, token } of jobs) {
      const job = this.jobs.get(runId)
      const isLost = lost.some((one) => one.token === token)
      if (job?.token !== token) {
        if (!isLost) return `${runId} is kept, which another worker has, or which is settled`
      } else if (isLost) {
        if (this.#isHeld(job, this.#margin)) return `${runId} is lost, which is kept`
        this.#release(job)
      } else job.leaseUntil = this.#now() + leaseMs
    }
    return undefined
  }

  /** @param isThere whether the queue has the job afterwards */
  settle({ runId, token }: TakenJob, afterMs: number | undefined, isThere: boolean): string | undefined {
    const job = this.jobs.get(runId)
    if (job?.token !== token) {
      return isThere === (job !== undefined) ? undefined : `${runId} was settled by a worker that had lost it`
    }
    if (afterMs === undefined && !isThere) {
      this.jobs.delete(runId)
      return undefined
    }
    if (!isThere) return `${runId} is gone`
    if (afterMs === undefined && this.#isHeld(job, this.#margin)) return `${runId} is still there`
    const isLost = !this.#isHeld(job, this.#margin)
    this.#release(job)
    // When the lease was over, either may have happened.
    if (afterMs !== undefined) job.dueBy = this.#now() + afterMs
    if (afterMs !== undefined && !isLost) job.dueAt = job.dueBy
    return undefined
  }

  clear(): void {
    this.jobs.clear()
  }

  #release(job: ModelJob): void {
    delete job.token
    delete job.leaseUntil
    job.place = undefined
  }

  #isHeld(job: ModelJob, margin: number): boolean {
    return job.token !== undefined && (job.leaseUntil ?? 0) > this.#now() - margin
  }

  #sessionHolder(job: ModelJob, margin: number): ModelJob | undefined {
    if (job.sessionKey === undefined) return undefined
    const others = [...this.jobs.values()].filter((one) => one !== job && one.sessionKey === job.sessionKey)
    return others.find((one) => this.#isHeld(one, margin))
  }

  /** Among jobs of a user without a session, a later or a less important one was delivered before another. */
  #wrongOrder(taken: readonly TakenJob[]): string | undefined {
    const delivered = new Set(taken.map(({ runId }) => runId))
    for (const { runId } of taken) {
      const job = this.jobs.get(runId) as ModelJob // found by `take`
      if (job.sessionKey !== undefined) continue
      for (const other of this.jobs.values()) {
        if (delivered.has(other.runId) || other.sessionKey !== undefined || other.agentId !== job.agentId) continue
        if (other.userId !== job.userId || !this.#mustDeliver(other)) continue
        const [own, others] = [job.priority ?? 0, other.priority ?? 0]
        const isEarlier = other.place !== undefined && job.place !== undefined && other.place < job.place
        if (others > own || (others === own && isEarlier)) return `${runId} was delivered before ${other.runId}`
      }
    }
    return undefined
  }

  #leftBehind(
    agentIds: readonly string[],
    limit: number,
    perUser: number | undefined,
    taken: readonly TakenJob[],
  ): string | undefined {
    const left = [...this.jobs.values()].filter((job) => agentIds.includes(job.agentId) && this.#mustDeliver(job))
    if (taken.length === 0 && limit > 0 && left[0]) return `${left[0].runId} was not delivered`
    if (perUser === undefined) return undefined
    const ofUser = (userId: string): ModelJob[] => [...this.jobs.values()].filter((job) => job.userId === userId)
    const surely = (userId: string): number => ofUser(userId).filter((job) => this.#isHeld(job, this.#margin)).length
    const perhaps = (userId: string): number => ofUser(userId).filter(({ token }) => token !== undefined).length
    const beyond = taken.find(({ userId }) => surely(userId) > perUser)
    const waits = left.find(({ userId }) => userId !== beyond?.userId && perhaps(userId) < perUser)
    return beyond && waits ? `${beyond.userId} has more than ${perUser} while ${waits.userId} waits` : undefined
  }

  #mustDeliver(job: ModelJob): boolean {
    if (job.token !== undefined || job.dueBy > this.#now() - this.#margin) return false
    const line = [...this.jobs.values()].filter((one) => one.sessionKey === job.sessionKey)
    // In a session, another waiting job may be the first.
    return job.sessionKey === undefined || line.every((one) => one === job || (one.dueBy <= this.#now() && !one.token))
  }
}
