import type { Knowledge, Runnable } from '@agentkit/core'
import { describeRemoved } from '@agentkit/core/internal'

export type DiskLimit = { maxBytes: number; onRemoved(what: string): void }

/**
 * Whether `bytes` more fit on the disk. If they do not, the events of runs that have ended are removed first.
 *
 * @param limit.maxBytes the limit for an agent's data; 0 for no limit
 * @param limit.onRemoved called with what was removed, such as `3 events`
 */
export async function hasRoom(agent: Runnable, { maxBytes, onRemoved }: DiskLimit, bytes: number): Promise<boolean> {
  if (maxBytes === 0 || (await diskUse(agent)) + bytes <= maxBytes) return true
  const report = await agent.sessions.runs?.prune({ eventsMs: 1 })
  const removed = report ? describeRemoved(report) : ''
  if (removed !== '') onRemoved(removed)
  return (await diskUse(agent)) + bytes <= maxBytes
}

/**
 * The disk use of an agent's stored runs and known files, in bytes. A store that does not report its size counts as 0.
 */
async function diskUse(agent: Runnable): Promise<number> {
  const stored = (await agent.sessions.runs?.size?.()) ?? 0
  let bytes = stored
  for (const knowledge of knowledgeByFolder(agent).values()) {
    for (const { size } of (await knowledge.records?.()) ?? []) bytes += size
  }
  return bytes
}

/** The knowledge of an agent and of the members of a swarm; several may have the same files. */
function knowledgeByFolder(agent: object): Map<unknown, Knowledge> {
  // A swarm has members, which are agents or swarms.
  const { knowledge, agents = [] } = agent as { knowledge?: Knowledge; agents?: readonly object[] }
  const own: [unknown, Knowledge][] = knowledge ? [[knowledge.folder ?? knowledge, knowledge]] : []
  return new Map([...own, ...agents.flatMap((member) => [...knowledgeByFolder(member)])])
}
