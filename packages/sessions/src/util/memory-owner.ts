/**
 * Whose memory has the runs of a session. A run without a session has a hidden one, whose agent id is that of the agent and
 * more after a colon.
 */
export function memoryOwnerOf({ agentId, userId }: { agentId: string; userId: string }): {
  agentId: string
  userId: string
} {
  return { agentId: agentId.split(':', 1)[0] ?? '', userId }
}
