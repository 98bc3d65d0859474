import type { Knowledge } from './knowledge.ts'

/** What an agent knows, and what the members of a swarm or workflow know, each once. */
export function knowledgeOf(agent: object): Knowledge[] {
  // An agent has no members.
  const { knowledge, agents = [] } = agent as { knowledge?: Knowledge; agents?: readonly object[] }
  return [...new Set([...(knowledge ? [knowledge] : []), ...agents.flatMap(knowledgeOf)])]
}
