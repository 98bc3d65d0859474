import { createApp } from '@agentkit/server'
import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Clerk',
  instruction: 'You answer questions about the shop.',
  functions: [],
  sessions: process.env.AGENT_SESSIONS ?? 'agentkit-data/sessions.db',
})

/** Answers under any host name, to clients that send the token. Without a token, `createApp` throws at the start. */
export const agentApp = createApp(agent, {
  host: '0.0.0.0',
  auth: { tokens: { [process.env.AGENT_TOKEN ?? '']: '*' } },
})
