import type { RunEntry, RunStore, StartedCall } from '../contracts/run-store.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'

/** What the run adds to what is stored of it. */
export type RunAddition = { messages?: readonly Message[]; state?: JSONValue; calls?: readonly StartedCall[] }

/** What is stored of a run with each addition. */
export type RunReport = { progress?: JSONValue; usage?: Usage }

/** Writes a run to its store, one entry at a time. */
export type RunWriter = {
  /** Additions that wait while an entry is written become one entry. */
  write(addition: RunAddition): Promise<void>
  /** Waits for earlier writes; `last` then writes an entry with what is left. */
  finish<Value>(last: (entry: RunEntry) => Promise<Value>): Promise<Value>
}

type WriterOptions = {
  runs: RunStore
  runId: string
  attempt: number
  /** How many messages of the run are stored. */
  position: number
  report(): RunReport
}

export function runWriter({ runs, runId, attempt, position, report }: WriterOptions): RunWriter {
  let waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  let stored = position

  const entryOf = (additions: readonly RunAddition[]): RunEntry => {
    const messages = additions.flatMap(({ messages = [] }) => messages)
    const calls = additions.flatMap(({ calls = [] }) => calls)
    const state = additions.findLast((addition) => addition.state !== undefined)?.state
    return {
      attempt,
      ...(messages.length > 0 && { position: stored, messages }),
      ...(calls.length > 0 && { calls }),
      ...(state !== undefined && { state }),
      ...report(),
    }
  }
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const entry = entryOf(batch.map(({ addition }) => addition))
        await runs.append(runId, entry)
        stored += entry.messages?.length ?? 0
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = undefined
  }
  return {
    write(addition) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.push({ addition, resolve, reject })
      writing ??= writeAll()
      return promise
    },
    async finish(last) {
      await writing
      return last(entryOf([]))
    },
  }
}

type Waiting = { addition: RunAddition; resolve(): void; reject(error: unknown): void }
