import type { RunQueue, TakenJob } from '@agentkit/core'

/** The schema whose jobs have the plain ids of their agents. */
export const usualSchema = 'agentkit'

/**
 * The part of a database's queue that is of one schema: other schemas may have agents and sessions with the same ids, whose
 * workers do not know the runs of this one.
 */
export function queueOfSchema(queue: RunQueue, schema: string): RunQueue {
  // Ids of agents have no colon.
  const prefix = schema === usualSchema ? '' : `${schema}:`
  const isOwn = (agentId: string): boolean => (prefix === '' ? !agentId.includes(':') : agentId.startsWith(prefix))
  const inQueue = <Of extends { agentId: string }>(of: Of): Of => ({ ...of, agentId: `${prefix}${of.agentId}` })
  const inStore = <Of extends { agentId: string }>(of: Of): Of => ({ ...of, agentId: of.agentId.slice(prefix.length) })
  const idsInQueue = (agentIds: readonly string[]): string[] => agentIds.map((id) => `${prefix}${id}`)
  return {
    add: (jobs) =>
      queue.add(
        jobs.map(({ sessionKey, ...job }) => ({
          ...inQueue(job),
          ...(sessionKey !== undefined && { sessionKey: `${prefix}${sessionKey}` }),
        })),
      ),
    take: async (request) => {
      const jobs = await queue.take({ ...request, agentIds: idsInQueue(request.agentIds) })
      return jobs.map(inStore)
    },
    async keep(jobs) {
      const lost = new Set((await queue.keep(jobs.map(inQueue))).map(({ token }) => token))
      return jobs.filter(({ token }: TakenJob) => lost.has(token))
    },
    settle: (job, again) => queue.settle(inQueue(job), again),
    ...(queue.remove && { remove: async (runIds) => queue.remove?.(runIds) }),
    missing: (runIds) => queue.missing(runIds),
    onReady: (agentIds, listener) => queue.onReady(idsInQueue(agentIds), listener),
    async counts() {
      const counts = await queue.counts()
      return counts.filter(({ agentId }) => isOwn(agentId)).map(inStore)
    },
    async clear(agentIds) {
      const own = (await queue.counts()).flatMap(({ agentId }) => (isOwn(agentId) ? [agentId] : []))
      await queue.clear(agentIds ? idsInQueue(agentIds) : own)
    },
    migrate: () => queue.migrate(),
    close: () => queue.close(),
  }
}
