import type { SyncOptions, SyncProgress, SyncReport } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { SyncRun } from './sync.ts'

/**
 * Lets concurrent calls share one sync.
 *
 * A call that comes after the scan has started waits for one more scan: a file that was written just before the call is
 * searchable after it. If that scan finds nothing new, the call gets the report of the first.
 */
export interface SharedSync {
  sync(options?: SyncOptions): Promise<SyncReport>
  /** Stops the running sync, and waits for its end. */
  stop(reason: unknown): Promise<void>
}

export function shareSync(syncOnce: (run: SyncRun) => Promise<SyncReport>): SharedSync {
  let running: Shared | undefined
  let next: Shared | undefined

  const start = (before: Shared | undefined): Shared => {
    const controller = new AbortController()
    const listeners = new Set<(progress: SyncProgress) => void>()
    const shared: Shared = {
      controller,
      listeners,
      callers: 0,
      isItsTurn: false,
      isUnderWay: false,
      done: Promise.resolve(nothing),
    }
    shared.done = (async () => {
      const first = await before?.done.catch(() => undefined)
      running = shared
      shared.isItsTurn = true
      if (next === shared) next = undefined
      try {
        if (controller.signal.aborted) throw abortError(controller.signal)
        const report = await syncOnce({
          signal: controller.signal,
          onScan() {
            shared.isUnderWay = true
          },
          onProgress(progress) {
            for (const listener of listeners) listener(progress)
          },
        })
        return first && report.indexed === 0 && report.removed === 0 ? { ...report, ...counted(first) } : report
      } finally {
        if (running === shared) running = undefined
      }
    })()
    // All callers may have left.
    shared.done.catch(() => {})
    return shared
  }

  const toJoin = (): Shared => {
    if (!running && !next) {
      running = start(undefined)
      return running
    }
    if (running && !running.isUnderWay && !running.controller.signal.aborted) return running
    if (next?.controller.signal.aborted) next = start(next)
    next ??= start(running)
    return next
  }

  return {
    async sync({ signal, onProgress } = {}) {
      if (signal?.aborted) throw abortError(signal)
      return wait(toJoin(), signal, onProgress)
    },
    async stop(reason) {
      const under = [running, next]
      for (const shared of under) shared?.controller.abort(reason)
      for (const shared of under) await shared?.done.catch(() => {})
    },
  }
}

type Shared = {
  controller: AbortController
  listeners: Set<(progress: SyncProgress) => void>
  callers: number
  /** The sync before it has ended. */
  isItsTurn: boolean
  /** The scan has started. */
  isUnderWay: boolean
  done: Promise<SyncReport>
}

const nothing: SyncReport = {
  indexed: 0,
  unchanged: 0,
  removed: 0,
  pending: 0,
  chunks: 0,
  skipped: [],
  warnings: [],
  mode: 'text',
}

function counted({ indexed, unchanged, removed }: SyncReport): Partial<SyncReport> {
  return { indexed, unchanged, removed }
}

async function wait(
  shared: Shared,
  signal: AbortSignal | undefined,
  onProgress: SyncOptions['onProgress'],
): Promise<SyncReport> {
  shared.callers++
  const { promise: left, reject: leave } = Promise.withResolvers<never>()
  let hasLeft = false
  const leaveWith = (error: unknown): void => {
    if (!hasLeft) shared.callers--
    hasLeft = true
    leave(error)
  }
  const listener = (progress: SyncProgress): void => {
    try {
      onProgress?.(progress)
    } catch (error) {
      // The error of a listener fails its own caller only.
      leaveWith(error)
    }
  }
  shared.listeners.add(listener)
  const abort = (): void => {
    if (!signal || hasLeft) return
    const isLast = shared.callers === 1
    if (isLast) shared.controller.abort(signal.reason)
    // The last caller waits for the end of the sync that it stops, but not for syncs of others.
    if (!isLast || !shared.isItsTurn) leaveWith(abortError(signal))
  }
  signal?.addEventListener('abort', abort)
  try {
    const report = await Promise.race([shared.done, left])
    // The sync may have completed just before it could be stopped.
    if (signal?.aborted) throw abortError(signal)
    return report
  } finally {
    signal?.removeEventListener('abort', abort)
    shared.listeners.delete(listener)
  }
}
