import type { Knowledge } from '@agentkit/core'

/** The knowledge of an agent, and of the members of a swarm or workflow. */
export function knowledgeOf(agent: object): Set<Knowledge> {
  // An agent has no members.
  const { knowledge, agents = [] } = agent as { knowledge?: Knowledge; agents?: readonly object[] }
  return new Set([...(knowledge ? [knowledge] : []), ...agents.flatMap((member) => [...knowledgeOf(member)])])
}
