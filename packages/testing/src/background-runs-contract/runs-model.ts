import type { OnBusy } from '@agentkit/core'

type Status = 'queued' | 'running' | 'waiting' | 'done' | 'failed'

export type ModelRun = {
  runId: string
  session: string
  status: Status
  attempt: number
  isBackground: boolean
  /** Whether a process executes the run. */
  isHeld: boolean
  holdsSession: boolean
  awaits: boolean
  isReplaced: boolean
  isResumable: boolean
  /** The place of the run in the conversation; `undefined` before it begins. */
  place: number | undefined
  acceptedAt: number
  /** The order among queued runs. */
  readyAt: number
  parent?: string
  notifies: boolean
  /** The open approvals among those that the run requested last. */
  open: string[]
  hasDecision: boolean
}

/** The expected outcome of an operation: nothing, or an error. */
export type Outcome = { code: string; retryable?: boolean } | undefined

const conflict: Outcome = { code: 'session-conflict', retryable: false }
const retryable: Outcome = { code: 'session-conflict', retryable: true }
const notFound: Outcome = { code: 'not-found' }

/** A model of the contract of background and direct runs in a few sessions. */
export class RunsModel {
  readonly runs: Map<string, ModelRun> = new Map()
  readonly notices: string[] = []
  readonly versions: Map<string, number> = new Map()
  #count = 0

  versionOf(session: string): number {
    return this.versions.get(session) ?? 0
  }

  enqueue(
    runId: string,
    options: { session: string; onBusy: OnBusy; now: number; notifies: boolean; dueAt?: number; replaces?: string },
  ): Outcome {
    const { session, onBusy, now, notifies, dueAt = 0, replaces } = options
    const replaced = replaces === undefined ? undefined : this.runs.get(replaces)
    if (replaces !== undefined && (replaced?.session !== session || replaced.isReplaced)) return notFound
    const stays = (run: ModelRun): boolean => !replaced || this.#orderOf(run) < this.#orderOf(replaced)
    const busy = this.#inSession(session).filter(({ status }) => status === 'queued' || status === 'running')
    if (onBusy === 'reject' && busy.some(stays)) return { code: 'session-busy' }
    if (replaced) this.#replace(session, replaced)
    if (onBusy === 'interrupt') for (const run of busy.filter(isOpen)) this.#stop(run)
    this.#add(runId, session, { isBackground: true, readyAt: Math.max(now, dueAt), notifies })
    return undefined
  }

  create(runId: string, options: { session: string; isResumable: boolean; notifies: boolean }): Outcome {
    const { session } = options
    this.#settleLost(session)
    if (this.#holderOf(session)) return retryable
    const run = this.#add(runId, session, { isBackground: false, readyAt: 0, ...options })
    Object.assign(run, { status: 'running', attempt: 1, isHeld: true, holdsSession: true, place: run.acceptedAt })
    this.#move(session)
    return undefined
  }

  /** @param isCrashed whether the process that has it has died */
  takeOver(runId: string, isLost: (run: ModelRun) => boolean): Outcome {
    const run = this.runs.get(runId)
    if (!run) return notFound
    if (run.status === 'done' || run.status === 'failed') return conflict
    if (run.status === 'waiting' && !run.hasDecision) return conflict
    if (run.status === 'running' && run.awaits) return conflict
    if (run.status === 'running' && run.isHeld && !isLost(run)) return conflict
    if (!(run.status === 'running' && run.holdsSession)) {
      if (this.#holderOf(run.session)) return retryable
      if (run.status === 'queued' && this.#mustWait(run)) return retryable
      this.#move(run.session)
    }
    if (run.status === 'queued' && run.attempt === 0) run.place = ++this.#count
    Object.assign(run, {
      status: 'running',
      isHeld: true,
      holdsSession: true,
      attempt: run.attempt + 1,
      hasDecision: false,
    })
    return undefined
  }

  end(runId: string, attempt: number, status: 'done' | 'failed'): Outcome {
    const run = this.runs.get(runId)
    if (!run || !this.#isHeldBy(run, attempt)) return conflict
    this.#finish(run, status)
    return undefined
  }

  suspend(runId: string, attempt: number, approvals: readonly string[]): Outcome {
    const run = this.runs.get(runId)
    if (!run || !this.#isHeldBy(run, attempt)) return conflict
    Object.assign(run, { isHeld: false, holdsSession: false, open: [...approvals], hasDecision: false })
    run.status = approvals.length === 0 ? 'running' : 'waiting'
    this.#move(run.session)
    if (run.status === 'waiting') this.#afterStop(run)
    return undefined
  }

  decide(runId: string, approvalId: string): Outcome {
    const run = this.runs.get(runId)
    if (!run) return notFound
    if (!isOpen(run)) return conflict
    if (!run.open.includes(approvalId)) return { code: 'session-conflict or not-found' }
    run.open = run.open.filter((open) => open !== approvalId)
    run.hasDecision = true
    run.isResumable = true
    if (run.status === 'waiting' && run.open.length === 0) run.status = 'running'
    return undefined
  }

  release(runId: string, attempt: number): Outcome {
    const run = this.runs.get(runId)
    if (!run || !this.#isHeldBy(run, attempt)) return conflict
    run.isHeld = false
    return undefined
  }

  /** @returns whether it was open, or the error */
  cancel(runId: string): boolean | Outcome {
    const run = this.runs.get(runId)
    if (!run) return notFound
    if (!isOpen(run)) return false
    this.#finish(run, 'failed')
    return true
  }

  retry(runId: string, now: number): Outcome {
    const run = this.runs.get(runId)
    if (!run) return notFound
    if (run.status !== 'failed' || run.isReplaced) return conflict
    Object.assign(run, { status: 'queued', isHeld: false, holdsSession: false, awaits: false, hasDecision: false })
    Object.assign(run, { isBackground: true, isResumable: true, readyAt: now, open: [] })
    return undefined
  }

  delegate(
    runId: string,
    attempt: number,
    members: readonly { runId: string; session: string }[],
    now: number,
  ): Outcome {
    const run = this.runs.get(runId)
    if (!run || !this.#isHeldBy(run, attempt) || !run.isBackground) return conflict
    for (const member of members) {
      if (this.runs.has(member.runId)) continue
      const added = this.#add(member.runId, member.session, { isBackground: true, readyAt: now, notifies: false })
      added.parent = runId
    }
    run.isHeld = false
    run.awaits = this.#membersOf(run).some(({ status }) => status === 'queued' || status === 'running')
    return undefined
  }

  /** The runs that need a worker. */
  unfinished(isLost: (run: ModelRun) => boolean): string[] {
    return [...this.runs.values()]
      .filter((run) => run.isBackground && !run.awaits)
      .filter((run) => run.status === 'queued' || (run.status === 'running' && (!run.isHeld || isLost(run))))
      .map(({ runId }) => runId)
  }

  /** The conversation of a session. */
  turns(session: string): ModelRun[] {
    const begun = this.#inSession(session).filter(({ place }) => place !== undefined)
    return begun.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
  }

  #add(
    runId: string,
    session: string,
    options: Pick<ModelRun, 'isBackground' | 'readyAt' | 'notifies'> & { isResumable?: boolean },
  ): ModelRun {
    const states = { isHeld: false, holdsSession: false, awaits: false, isReplaced: false, hasDecision: false }
    const run: ModelRun = {
      ...{ runId, session, status: 'queued', attempt: 0, place: undefined, open: [], isResumable: true },
      ...states,
      ...options,
      acceptedAt: ++this.#count,
    }
    this.runs.set(runId, run)
    return run
  }

  #inSession(session: string): ModelRun[] {
    return [...this.runs.values()].filter((run) => run.session === session)
  }

  #membersOf({ runId }: ModelRun): ModelRun[] {
    return [...this.runs.values()].filter(({ parent }) => parent === runId)
  }

  #holderOf(session: string): ModelRun | undefined {
    return this.#inSession(session).find((run) => run.status === 'running' && run.holdsSession)
  }

  #isHeldBy(run: ModelRun, attempt: number): boolean {
    return run.status === 'running' && run.isHeld && run.attempt === attempt
  }

  #mustWait(run: ModelRun): boolean {
    const others = this.#inSession(run.session).filter((other) => other !== run)
    const isDecided = others.some((other) => other.status === 'running')
    const isBefore = (other: ModelRun): boolean =>
      other.readyAt < run.readyAt || (other.readyAt === run.readyAt && this.#orderOf(other) < this.#orderOf(run))
    return isDecided || others.some((other) => other.status === 'queued' && isBefore(other))
  }

  #orderOf({ place, acceptedAt }: ModelRun): number {
    return place ?? acceptedAt
  }

  #move(session: string): void {
    this.versions.set(session, this.versionOf(session) + 1)
  }

  /** Nothing to do: the walk closes no process while a direct run of it could not continue. */
  #settleLost(_session: string): void {}

  #replace(session: string, from: ModelRun): void {
    for (const run of this.#inSession(session)) {
      if (run.isReplaced || this.#orderOf(run) < this.#orderOf(from)) continue
      if (isOpen(run)) this.#stop(run)
      run.isReplaced = true
      // Every turn whose id begins with the id of a replaced run is replaced too.
      for (const other of this.runs.values()) if (other.runId.startsWith(`${run.runId}/`)) other.isReplaced = true
    }
    this.#move(session)
  }

  #stop(run: ModelRun): void {
    if (isOpen(run)) this.#finish(run, 'failed')
  }

  #finish(run: ModelRun, status: 'done' | 'failed'): void {
    Object.assign(run, { status, isHeld: false, awaits: false, open: [] })
    if (run.attempt > 0) this.#move(run.session)
    for (const member of this.#membersOf(run)) this.#endMember(member)
    this.#afterStop(run)
  }

  #endMember(run: ModelRun): void {
    if (isOpen(run)) Object.assign(run, { status: 'failed', isHeld: false, awaits: false, open: [] })
    for (const member of this.#membersOf(run)) this.#endMember(member)
  }

  #afterStop(run: ModelRun): void {
    if (run.notifies) this.notices.push(`${run.runId} ${run.status}`)
    const parent = run.parent === undefined ? undefined : this.runs.get(run.parent)
    if (parent?.awaits && !this.#membersOf(parent).some(({ status }) => status === 'queued' || status === 'running')) {
      parent.awaits = false
    }
  }
}

function isOpen({ status }: ModelRun): boolean {
  return status !== 'done' && status !== 'failed'
}
