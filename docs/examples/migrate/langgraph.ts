import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const search = tool({
  name: 'search',
  description: 'Searches the intranet.',
  input: z.object({ words: z.string() }),
  execute: async ({ words }) => `Nothing about ${words}.`,
})

const agent = new Agent({
  name: 'Helper',
  instruction: 'You answer briefly.',
  functions: [search],
  model: 'openai/gpt-5.4-mini',
  sessions: 'agentkit-data/sessions.db', // or postgres://…
})

const text = await agent.chat('Who is on call?', { userId: 'ada', sessionId: 'thread-1' })
console.log(text)
