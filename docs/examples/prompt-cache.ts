import { Agent } from 'agentkit'

export const agent = new Agent({
  name: 'Librarian',
  instruction: 'You find books, and say on which shelf each of them stands.',
  functions: [],
  model: 'anthropic/claude-sonnet-5',
  cache: 'auto', // the default; 'off' caches nothing, { key } shares a cache among sessions
})

/** @returns the answer, and the share of its input that was read from the provider's cache */
export async function ask(question: string, sessionId: string): Promise<{ text: string; share: number }> {
  const { text, usage, warnings } = await agent.stream(question, { sessionId }).result
  for (const warning of warnings) console.warn(warning)
  return { text, share: (usage.cachedInputTokens ?? 0) / (usage.inputTokens ?? 1) }
}
