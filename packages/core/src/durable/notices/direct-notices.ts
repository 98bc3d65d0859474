import type { SessionStore } from '../../contracts/session-store.ts'
import { limits } from '../../limits.ts'
import { printFailures } from '../../util/text/print-failures.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { deliveredOf, deliverNotices, noticeReportOf, type Receivers } from './deliver-notices.ts'

/** Delivers the notices of an agent in a process that runs it without a worker. */
export type DirectNotices = {
  /** Delivers them while a run is in this process, and once it has settled and its end is stored. @param settled never rejects */
  during(settled: Promise<unknown>): void
  /** Resolves when none is being delivered. */
  idle(): Promise<void>
}

/**
 * Notices are taken from the store, so what a process cannot deliver before it ends is delivered by the next one, or by a
 * worker. Its timers do not keep the process.
 */
export function directNotices(agentId: string, sessions: SessionStore, receivers: Receivers): DirectNotices {
  const { runs } = sessions
  const printFailure = printFailures('a notice is tried again')
  let live = 0
  let lastTry = 0
  let triedUntil = 0
  let isDue = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let working: Promise<void> | undefined

  const deliver = async (store: BackgroundStore): Promise<void> => {
    // A server whose worker delivers them too writes its own log.
    const onError = (error: unknown): void => (noticeReportOf(store) ?? printFailure)(error)
    while (isDue) {
      isDue = false
      // When the store throws, this process or another one tries again: the notices stay.
      const again = (): number => Math.min(store.now() + limits.noticeMs, triedUntil)
      lastTry = Math.max(
        lastTry,
        await deliverNotices(sessions, [agentId], { ...receivers, onError }, deliveredOf(store)).catch(again),
      )
    }
    working = undefined
    if (live > 0 || store.now() <= lastTry) wakeLater()
  }
  const wakeLater = (): void => {
    clearTimeout(timer)
    timer = setTimeout(wake, limits.noticeMs)
    // Outside of Node, timers are numbers.
    if (typeof timer === 'object') timer.unref()
  }
  const wake = (): void => {
    isDue = true
    clearTimeout(timer)
    // The cast holds: the store has background runs.
    if (runs?.background) working ??= deliver(runs as BackgroundStore)
  }
  return {
    during(settled) {
      if (live++ === 0) wakeLater()
      void settled.then(() => {
        live--
        triedUntil = (runs?.now() ?? 0) + limits.noticeLifeMs
        wake()
      })
    },
    async idle() {
      await working
    },
  }
}
