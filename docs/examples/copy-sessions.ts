import type { SessionStore } from 'agentkit'

/** Copies the ended turns of a user's conversations with an agent into another store. A second call adds what is missing. */
export async function copySessions(
  from: SessionStore,
  to: SessionStore,
  owner: { agentId: string; userId: string },
): Promise<void> {
  for (const { sessionId, title } of (await from.list(owner)).reverse()) {
    const key = { ...owner, sessionId }
    for (const { runId, status, messages, usage, state } of await from.turns(key)) {
      if ((status !== 'done' && status !== 'failed') || (await to.find(runId))) continue
      const expectedVersion = (await to.load(key))?.version ?? 0
      await to.begin(key, { runId, expectedVersion, input: messages.slice(0, 1) })
      await to.append(runId, messages.slice(1), state)
      await to.end(runId, status, usage)
    }
    if (await to.load(key)) await to.rename(key, title)
  }
}
