import { type BackgroundRuns, isAgentKitError, type OnBusy, type RunStore, type SessionStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import type { Random } from '../random-walk/random.ts'
import { walk, walks } from '../random-walk/walk.ts'
import { approval, done } from '../run-store-contract/runs.ts'
import { user } from '../session-store-contract/turns.ts'
import type { BackgroundUnderTest, GetBackground } from './background.ts'
import { type ModelRun, type Outcome, RunsModel } from './runs-model.ts'

/** Random operations on background and direct runs, compared with a model of them. */
export function walkTests(getStores: GetBackground): void {
  it('does what a model of it does, in random sequences of operations', async () => {
    const stores = getStores()
    const processes = [stores, { ...stores, ...(await opened(stores)) }]
    await walk(walks(100), (random, seed, note) => new Walk({ stores, processes, random, seed, note }).run())
    // The contract closes all stores, also the ones that the walk has opened.
  }, 3_600_000)
}

type Process = { store: SessionStore; runs: RunStore; background: BackgroundRuns }

async function opened({ open }: BackgroundUnderTest): Promise<Process> {
  const { store, runs } = await open()
  if (!runs.background) throw new Error('The store has no background runs.')
  return { store, runs, background: runs.background }
}

type Context = {
  stores: BackgroundUnderTest
  processes: Process[]
  random: Random
  seed: number
  note(operation: string): void
}

class Walk {
  readonly #model = new RunsModel()
  readonly #agentId: string
  /** Which process has a run. */
  readonly #holders = new Map<string, Process>()
  readonly #context: Context
  #ids = 0

  constructor(context: Context) {
    this.#context = context
    this.#agentId = `walk${context.seed}`
  }

  async run(): Promise<void> {
    const { random, stores } = this.#context
    const usual = [
      this.#enqueue,
      this.#enqueue,
      this.#takeOver,
      this.#takeOver,
      this.#takeOver,
      this.#end,
      this.#suspend,
    ]
    const others = [this.#decide, this.#decide, this.#create, this.#release, this.#cancel, this.#retry, this.#delegate]
    for (let step = 0; step < 30; step++) {
      // No two operations happen at one time.
      await stores.moveTime(1)
      if (random.oneIn(25)) await this.#crash()
      else await random.pick([...usual, ...others, this.#delegate, this.#moveTime]).call(this)
      await this.#compareJobs()
    }
    await this.#compareAll()
  }

  async #enqueue(): Promise<void> {
    const { random } = this.#context
    const { background, runs } = this.#process()
    const session = this.#session()
    const onBusy: OnBusy = random.oneIn(3) ? random.pick(['reject', 'interrupt']) : 'queue'
    const replaced = random.oneIn(6) ? this.#anyRun() : undefined
    const [runId, now, notifies] = [`${this.#agentId}-${this.#ids++}`, runs.now(), random.oneIn(2)]
    const options = {
      ...{ onBusy, notifies },
      ...(random.oneIn(4) && { dueAt: now + random.below(3) * 60_000 }),
      ...(replaced && { replaces: replaced.runId }),
    }
    await this.#expect(
      `enqueue ${runId} ${session} ${JSON.stringify(options)}`,
      this.#model.enqueue(runId, { session, now, ...options }),
      () =>
        background.enqueue(
          [{ key: this.#key(session), runId, agentId: this.#agentId, options: {}, title: runId, ...options }],
          endless,
        ),
    )
  }

  async #create(): Promise<void> {
    const process = this.#process()
    const session = this.#session()
    const [runId, notifies] = [`${this.#agentId}-${this.#ids++}`, this.#context.random.oneIn(2)]
    const expectedVersion = (await process.store.load(this.#key(session)))?.version ?? 0
    const entry = { runId, agentId: this.#agentId, expectedVersion, input: [user(runId)], keepsEvents: true, notifies }
    const isCreated = await this.#expect(
      `create ${runId} ${session}`,
      this.#model.create(runId, { session, isResumable: true, notifies }),
      () => process.runs.create(this.#key(session), { ...entry, isResumable: true }),
    )
    if (isCreated) this.#holders.set(runId, process)
  }

  async #takeOver(): Promise<void> {
    const { random } = this.#context
    const run = this.#anyRun(random.oneIn(3) ? undefined : (one) => one.status === 'queued' || one.status === 'running')
    if (!run) return
    const process = this.#process()
    const expectedVersion = (await process.store.load(this.#key(run.session)))?.version ?? 0
    const isTaken = await this.#expect(`take over ${run.runId}`, this.#model.takeOver(run.runId, this.#isLost), () =>
      process.runs.takeOver(run.runId, { expectedVersion, begin: { messages: [user(run.runId)] } }),
    )
    if (isTaken) this.#holders.set(run.runId, process)
  }

  async #end(): Promise<void> {
    const held = this.#held()
    if (!held) return
    const { run, runs, attempt } = held
    const ending = this.#context.random.oneIn(3) ? ({ status: 'failed', finishReason: 'error' } as const) : done
    await this.#expect(`end ${run.runId} ${ending.status}`, this.#model.end(run.runId, attempt, ending.status), () =>
      runs.end(run.runId, { attempt, ...ending }),
    )
  }

  async #suspend(): Promise<void> {
    const held = this.#held()
    if (!held) return
    const { run, runs, attempt } = held
    const approvals = Array.from({ length: this.#context.random.below(3) }, () => `apr_${this.#ids++}`)
    await this.#expect(`suspend ${run.runId} ${approvals}`, this.#model.suspend(run.runId, attempt, approvals), () =>
      runs.suspend(run.runId, { attempt, approvals: approvals.map(approval) }),
    )
  }

  async #decide(): Promise<void> {
    const run = this.#anyRun(({ open }) => open.length > 0)
    if (!run) return
    const approvalId = this.#context.random.pick(run.open)
    await this.#expect(`decide ${run.runId} ${approvalId}`, this.#model.decide(run.runId, approvalId), () =>
      this.#process().runs.decide(run.runId, { [approvalId]: true }),
    )
  }

  async #release(): Promise<void> {
    const held = this.#held()
    if (!held) return
    const { run, runs, attempt } = held
    await this.#expect(`release ${run.runId}`, this.#model.release(run.runId, attempt), () =>
      runs.release(run.runId, attempt),
    )
  }

  async #cancel(): Promise<void> {
    const run = this.#anyRun()
    if (!run) return
    this.#context.note(`cancel ${run.runId}`)
    const isOpen = await this.#process().runs.cancel(run.runId, { status: 'failed', finishReason: 'aborted' })
    expect(isOpen, `cancel ${run.runId}`).toBe(this.#model.cancel(run.runId))
  }

  async #retry(): Promise<void> {
    const run = this.#anyRun(this.#context.random.oneIn(3) ? undefined : ({ status }) => status === 'failed')
    if (!run || run.parent !== undefined) return
    const { background, runs } = this.#process()
    await this.#expect(`retry ${run.runId}`, this.#model.retry(run.runId, runs.now()), () =>
      background.retry(run.runId),
    )
  }

  async #delegate(): Promise<void> {
    const held = this.#held()
    if (!held) return
    const { run, process, attempt } = held
    const members = Array.from({ length: this.#context.random.below(3) }, (_, index) => {
      const runId = `${run.runId}/${index}`
      return { runId, session: `member ${runId}` }
    })
    const now = process.runs.now()
    await this.#expect(
      `delegate ${run.runId} ${members.length}`,
      this.#model.delegate(run.runId, attempt, members, now),
      () =>
        process.background.delegate(run.runId, {
          attempt,
          members: members.map(({ runId, session }) => ({ runId, key: this.#key(session), options: {} })),
        }),
    )
  }

  async #moveTime(): Promise<void> {
    this.#context.note('move time')
    await this.#context.stores.moveTime(30_000)
  }

  /** A process dies: the runs that it had are lost. */
  async #crash(): Promise<void> {
    const { processes, random, stores, note } = this.#context
    const index = random.below(processes.length)
    note(`crash of process ${index}`)
    const next = await opened(stores)
    await processes[index]?.store.close()
    processes[index] = next
  }

  readonly #isLost = (run: ModelRun): boolean => {
    const holder = this.#holders.get(run.runId)
    return run.isHeld && !(holder && this.#context.processes.includes(holder))
  }

  /** @returns whether it succeeded, as the model says */
  async #expect(operation: string, outcome: Outcome, work: () => Promise<unknown>): Promise<boolean> {
    this.#context.note(`${operation} → ${outcome?.code ?? 'done'}`)
    const error: unknown = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    const found = isAgentKitError(error) ? { code: error.code, retryable: error.retryable } : error
    if (outcome === undefined) expect(found, operation).toBeUndefined()
    else expect(found, operation).toMatchObject(outcome)
    return outcome === undefined
  }

  async #compareJobs(): Promise<void> {
    const jobs = await this.#process().background.unfinished([this.#agentId], { limit: 100 })
    const expected = this.#model.unfinished(this.#isLost)
    expect(jobs.map(({ runId }) => runId)).toEqual(expected)
  }

  async #compareAll(): Promise<void> {
    const { store, runs, background } = this.#process()
    for (const run of this.#model.runs.values()) {
      const stored = await runs.read(run.runId)
      expect({
        status: stored?.record.status,
        attempt: stored?.attempt,
        isFree: stored?.isFree ?? false,
        isReplaced: stored?.record.replaced ?? false,
      }).toEqual({
        status: run.status,
        attempt: run.attempt,
        isFree: run.status === 'running' && !run.isHeld && !run.awaits,
        isReplaced: run.isReplaced,
      })
    }
    for (const session of ['s1', 's2']) {
      const turns = await store.turns(this.#key(session))
      expect(turns.map(({ runId }) => runId)).toEqual(this.#model.turns(session).map(({ runId }) => runId))
    }
    const listed = await runs.list({ agentId: this.#agentId }, { limit: 100 })
    const roots = [...this.#model.runs.values()].filter(({ parent }) => parent === undefined)
    expect(listed.map(({ runId }) => runId)).toEqual(roots.map(({ runId }) => runId).toReversed())
    const notices = await background.takeNotices([this.#agentId], { limit: 100, leaseMs: 1_000_000_000 })
    const known = notices.map(({ record }) => `${record.runId} ${record.status}`)
    expect(known.toSorted()).toEqual(this.#model.notices.toSorted())
  }

  #process(): Process {
    return this.#context.random.pick(this.#context.processes)
  }

  #session(): string {
    return this.#context.random.oneIn(3) ? 's2' : 's1'
  }

  #key(session: string): { agentId: string; userId: string; sessionId: string } {
    const agentId = session.startsWith('member') ? `${this.#agentId}:member` : this.#agentId
    return { agentId, userId: 'ann', sessionId: session }
  }

  #anyRun(isWanted: (run: ModelRun) => boolean = () => true): ModelRun | undefined {
    const wanted = [...this.#model.runs.values()].filter(isWanted)
    return wanted.length === 0 ? undefined : this.#context.random.pick(wanted)
  }

  /** A run that a living process has, most often by its present attempt. */
  #held(): { run: ModelRun; process: Process; runs: RunStore; attempt: number } | undefined {
    const run = this.#anyRun((one) => one.isHeld && !this.#isLost(one))
    const process = run && this.#holders.get(run.runId)
    if (!process) return undefined
    return { run, process, runs: process.runs, attempt: this.#context.random.oneIn(8) ? run.attempt - 1 : run.attempt }
  }
}

/** No walk meets a bound. */
const endless = { queued: 1_000_000, userQueued: 1_000_000 }
