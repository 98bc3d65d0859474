import type { SessionStore } from '../../contracts/session-store.ts'
import { limits } from '../../limits.ts'
import { repeat } from '../../util/async/repeat.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { deliveredOf, deliverOne, type Receivers } from './deliver-notices.ts'

/** The notices of a worker's agents that share a store. */
export type StoreNotices = {
  /** Looks for due notices now. */
  wake(): void
  /** Resolves when all that are due have been tried. */
  stop(): Promise<void>
}

/**
 * Delivers the due notices of all these agents: one timer and one query for all of them. A receiver that hangs holds up
 * the notices of its own agent alone, which are not taken meanwhile.
 */
export function storeNotices(store: SessionStore, agentIds: readonly string[], receivers: Receivers): StoreNotices {
  const runs = backgroundOf(store)
  const { notices: limit, noticeLeaseMs: leaseMs } = limits
  const { onError = () => {} } = receivers
  const delivered = deliveredOf(runs)
  const delivering = new Map<string, Promise<void>>()

  const take = async (): Promise<void> => {
    for (;;) {
      const free = agentIds.filter((agentId) => !delivering.has(agentId))
      if (free.length === 0) return
      const page = await runs.background.takeNotices(free, { limit, leaseMs })
      for (const [agentId, notices] of Map.groupBy(page, ({ record }) => record.agentId)) {
        const tried = Promise.all(notices.map((notice) => deliverOne(store, notice, receivers, delivered)))
        const ended = tried.then(
          () => void delivering.delete(agentId),
          (error: unknown) => {
            delivering.delete(agentId)
            onError(error)
          },
        )
        // The agent may have more of them.
        delivering.set(agentId, ended.then(repeated.wake))
      }
      if (page.length < limit) return
    }
  }
  const repeated = agentIds.length > 0 ? repeat(limits.noticeMs, take, onError) : { wake() {}, async stop() {} }
  return {
    wake: repeated.wake,
    async stop() {
      await repeated.stop()
      await take().catch(onError)
      while (delivering.size > 0) {
        await Promise.race(delivering.values())
        await take().catch(onError)
      }
    },
  }
}
