import type { RunEntry, StartedCall } from '../contracts/run-entry.ts'
import type { RunStore } from '../contracts/run-store.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { afterThisTurn } from '../util/async/after-this-turn.ts'
import type { EventQueue } from './event-queue.ts'

/** What the run adds to what is stored of it. */
export type RunAddition = { messages?: readonly Message[]; state?: JSONValue; calls?: readonly StartedCall[] }

/** What is stored of a run with each addition. */
export type RunReport = { progress?: JSONValue; usage?: Usage }

/** Writes a run to its store, one entry at a time. */
export type RunWriter = {
  /** Additions that wait while an entry is written become one entry. */
  write(addition: RunAddition): Promise<void>
  /** Adds to the next entry, which is written once the event loop has nothing else to do. One that fails adds to the one after it. */
  keep(addition: RunAddition): void
  /**
   * Writes to the run where the last write that was stored began long ago: a process that was frozen meanwhile has lost the
   * run.
   * @throws AgentKitError `session-conflict` for a run that another process has, or that has ended
   */
  confirm(): Promise<void> | undefined
  /** Stores the events that wait. Never rejects. */
  flush(): Promise<void>
  /** Waits for the entry that is being written; `last` then writes one with all that waits. */
  finish<Value>(last: (entry: RunEntry) => Promise<Value>): Promise<Value>
}

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

export function runWriter({ runs, runId, attempt, position, report, events, fail, ...run }: WriterOptions): RunWriter {
  let waiting: Batch = []
  /** Whether what is kept waits for no other addition. */
  let isKeptDue = false
  let isFinishing = false
  let writing: Promise<void> | undefined
  let stored = position
  let { heldAt } = run

  const entryOf = (batch: Batch): RunEntry => {
    const additions = batch.map(({ addition }) => addition)
    const messages = additions.flatMap(({ messages = [] }) => messages)
    const calls = additions.flatMap(({ calls = [] }) => calls)
    const state = additions.findLast((addition) => addition.state !== undefined)?.state
    return {
      attempt,
      ...(messages.length > 0 && { position: stored, messages }),
      ...(calls.length > 0 && { calls }),
      ...(state !== undefined && { state }),
      ...(batch.length > 0 && report()),
      ...(events && { events: events.take() }),
    }
  }
  const take = (): Batch => {
    const batch = waiting
    waiting = []
    isKeptDue = false
    return batch
  }
  const isDue = (): boolean => isKeptDue || waiting.some(({ isKept }) => !isKept) || events?.isDue() === true
  const rejectAll = (batch: Batch, entry: RunEntry, error: unknown): void => {
    events?.restore(entry.events ?? [])
    waiting.unshift(...batch.filter(({ isKept }) => isKept))
    for (const { reject } of batch) reject(error)
  }
  const settle = (batch: Batch, entry: RunEntry): void => {
    events?.stored(entry.events ?? [])
    stored += entry.messages?.length ?? 0
    for (const { resolve } of batch) resolve()
  }
  const writeAll = async (): Promise<void> => {
    // Additions that follow each other directly become one entry.
    await undefined
    while (isDue() && !isFinishing) {
      const batch = take()
      const entry = entryOf(batch)
      try {
        const begunAt = performance.now()
        await runs.append(runId, entry)
        heldAt = begunAt
        settle(batch, entry)
      } catch (error) {
        rejectAll(batch, entry, error)
        if (batch.length === 0) fail(error)
      }
    }
    writing = undefined
  }
  const write = (addition: RunAddition): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ addition, resolve, reject })
    if (!isFinishing) writing ??= writeAll()
    return promise
  }
  events?.onDue(() => {
    if (!isFinishing) writing ??= writeAll()
  })
  return {
    async flush() {
      events?.hurry()
      await writing
    },
    confirm() {
      return performance.now() - heldAt > limits.confirmAfterMs ? write({}) : undefined
    },
    write,
    keep(addition) {
      const kept = { addition, isKept: true, resolve() {}, reject() {} }
      waiting.push(kept)
      afterThisTurn(() => {
        if (isFinishing || !waiting.includes(kept)) return
        isKeptDue = true
        writing ??= writeAll()
      })
    },
    async finish(last) {
      isFinishing = true
      await writing
      const batch = take()
      const entry = { ...entryOf(batch), ...report() }
      try {
        const result = await last(entry)
        settle(batch, entry)
        return result
      } catch (error) {
        rejectAll(batch, entry, error)
        throw error
      } finally {
        isFinishing = false
        // The store refuses what came later, if the run has ended.
        if (isDue()) writing ??= writeAll()
      }
    },
  }
}

type Batch = { addition: RunAddition; isKept?: boolean; resolve(): void; reject(error: unknown): void }[]
