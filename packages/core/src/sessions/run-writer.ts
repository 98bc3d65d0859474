import type { RunEntry, StartedCall } from '../contracts/run-entry.ts'
import type { RunStore } from '../contracts/run-store.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { afterThisTurn } from '../util/async/after-this-turn.ts'
import type { EventQueue } from './event-queue.ts'
import { whyRefused } from './watch-ended.ts'

/** What the run adds to what is stored of it. */
export type RunAddition = { messages?: readonly Message[]; state?: JSONValue; calls?: readonly StartedCall[] }

/** What is stored of a run with each addition. */
export type RunReport = { progress?: JSONValue; usage?: Usage }

type WriterOptions = {
  runs: RunStore
  runId: string
  attempt: number
  /** How many messages of the run are stored. */
  position: number
  /** When the store was asked for the run, by `performance.now()`. */
  heldAt: number
  report(): RunReport
  /** Events that are stored with the entries, and alone when they are due. Absent where none are kept. */
  events?: EventQueue | undefined
  /** Called when events alone could not be stored. */
  fail(error: unknown): void
}

type Batch = { addition: RunAddition; isKept?: boolean; resolve(): void; reject(error: unknown): void }[]

/** Writes a run to its store, one entry at a time. */
export class RunWriter {
  readonly #options: WriterOptions
  #waiting: Batch = []
  /** Whether what is kept waits for no other addition. */
  #isKeptDue = false
  #isFinishing = false
  #writing: Promise<void> | undefined
  #stored: number
  #heldAt: number

  constructor(options: WriterOptions) {
    this.#options = options
    this.#stored = options.position
    this.#heldAt = options.heldAt
    options.events?.onDue(() => this.#begin())
  }

  /** Additions that wait while an entry is written become one entry. */
  write(addition: RunAddition): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ addition, resolve, reject })
    this.#begin()
    return promise
  }

  /** Adds to the next entry, which is written once the event loop has nothing else to do. One that fails adds to the one after it. */
  keep(addition: RunAddition): void {
    const kept = { addition, isKept: true, resolve() {}, reject() {} }
    this.#waiting.push(kept)
    afterThisTurn(() => {
      if (this.#isFinishing || !this.#waiting.includes(kept)) return
      this.#isKeptDue = true
      this.#begin()
    })
  }

  /**
   * Writes to the run where the last write that was stored began long ago: a process that was frozen meanwhile has lost the
   * run.
   * @throws AgentKitError `session-conflict` for a run that another process has, or that has ended
   */
  confirm(): Promise<void> | undefined {
    return performance.now() - this.#heldAt > limits.confirmAfterMs ? this.write({}) : undefined
  }

  /** Stores the events that wait. Never rejects. */
  async flush(): Promise<void> {
    this.#options.events?.flushSoon()
    await this.#writing
  }

  /** Waits for the entry that is being written; `last` then writes one with all that waits. */
  async finish<Value>(last: (entry: RunEntry) => Promise<Value>): Promise<Value> {
    this.#isFinishing = true
    await this.#writing
    const batch = this.#take()
    const entry = { ...this.#entryOf(batch), ...this.#options.report() }
    try {
      const result = await last(entry)
      this.#settle(batch, entry)
      return result
    } catch (cause) {
      const error = await whyRefused(this.#options, cause)
      this.#rejectAll(batch, entry, error)
      throw error
    } finally {
      this.#isFinishing = false
      // The store refuses what came later, if the run has ended.
      if (this.#isDue()) this.#begin()
    }
  }

  #begin(): void {
    if (!this.#isFinishing) this.#writing ??= this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    // Additions that follow each other directly become one entry.
    await undefined
    while (this.#isDue() && !this.#isFinishing) {
      const batch = this.#take()
      const entry = this.#entryOf(batch)
      try {
        const begunAt = performance.now()
        await this.#options.runs.append(this.#options.runId, entry)
        this.#heldAt = begunAt
        this.#settle(batch, entry)
      } catch (cause) {
        const error = await whyRefused(this.#options, cause)
        this.#rejectAll(batch, entry, error)
        if (batch.length === 0) this.#options.fail(error)
      }
    }
    this.#writing = undefined
  }

  #isDue(): boolean {
    return this.#isKeptDue || this.#waiting.some(({ isKept }) => !isKept) || this.#options.events?.isDue() === true
  }

  #take(): Batch {
    const batch = this.#waiting
    this.#waiting = []
    this.#isKeptDue = false
    return batch
  }

  #entryOf(batch: Batch): RunEntry {
    const { attempt, report, events } = this.#options
    const additions = batch.map(({ addition }) => addition)
    const messages = additions.flatMap(({ messages = [] }) => messages)
    const calls = additions.flatMap(({ calls = [] }) => calls)
    const state = additions.findLast((addition) => addition.state !== undefined)?.state
    return {
      attempt,
      ...(messages.length > 0 && { position: this.#stored, messages }),
      ...(calls.length > 0 && { calls }),
      ...(state !== undefined && { state }),
      ...(batch.length > 0 && report()),
      ...(events && { events: events.take() }),
    }
  }

  #settle(batch: Batch, entry: RunEntry): void {
    this.#options.events?.stored(entry.events ?? [])
    this.#stored += entry.messages?.length ?? 0
    for (const { resolve } of batch) resolve()
  }

  #rejectAll(batch: Batch, entry: RunEntry, error: unknown): void {
    this.#options.events?.restore(entry.events ?? [])
    this.#waiting.unshift(...batch.filter(({ isKept }) => isKept))
    for (const { reject } of batch) reject(error)
  }
}
