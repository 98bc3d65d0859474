import type { Agent } from 'agentkit'

/** Deletes the sessions, the runs and the memory of a user with an agent. */
export async function deleteUser(agent: Agent, userId: string): Promise<void> {
  for (;;) {
    const [run] = await agent.runs({ userId, limit: 1 })
    if (!run) break
    await agent.cancel(run.runId)
    // A run without a session is stored under a key of its own.
    const stored = await agent.sessions.runs?.read(run.runId)
    if (stored) await agent.sessions.delete(stored.key)
  }
  // Without `memory` there is nothing to delete.
  await agent.sessions.memory?.clear({ agentId: agent.id, userId })
}
