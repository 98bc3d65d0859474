import { Agent } from 'agentkit'

export const agent = new Agent({
  name: 'Gardener',
  instruction: 'You help with gardens.',
  model: 'openai/gpt-5.4-mini',
  memory: true,
})

/** What the agent knows of a user, as the user may see it. */
export async function aboutUser(userId: string, words: string): Promise<string[]> {
  const notes = await agent.memory.notes({ userId })
  const hits = await agent.memory.search(words, { userId, limit: 5 })
  return [
    ...notes.map(({ text }) => `Note: ${text}`),
    ...hits.map(({ session, quote }) => `${session.sessionId}, ${session.at}: ${quote}`),
  ]
}

/** Removes the notes, and lets no turn until now be found. */
export async function forgetUser(userId: string): Promise<void> {
  await agent.memory.delete({ userId })
}
