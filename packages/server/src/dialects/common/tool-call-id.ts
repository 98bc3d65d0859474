import type { AgentEvent } from '@agentkit/core'

/**
 * The id of a call, for clients. Members of a swarm have models of their own, whose ids may be the same.
 * @param path of the member, below the outermost agent
 */
export function toolCallId(path: readonly string[], callId: string): string {
  return [...path, callId].join('/')
}

/** The same, of an event. */
export function callIdOf({ path, callId }: Pick<AgentEvent, 'path'> & { callId: string }): string {
  return toolCallId(path.slice(1), callId)
}
