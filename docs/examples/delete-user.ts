import type { Agent } from 'agentkit'

/** Deletes the schedules, the sessions, the runs and the memory of a user with an agent. */
export async function deleteUser(agent: Agent, userId: string): Promise<void> {
  // First: a schedule would start further runs of the user. A store without background runs has none.
  for (const schedule of agent.sessions.runs?.background ? await agent.schedules() : []) {
    if (schedule.userId === userId) await agent.unschedule(schedule.name)
  }
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
