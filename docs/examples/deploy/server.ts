import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Clerk',
  instruction: 'You answer questions about the shop.',
  functions: [],
  sessions: process.env.AGENT_SESSIONS ?? 'agentkit-data/sessions.db',
})

await agent.run({
  host: process.env.HOST ?? '127.0.0.1',
  port: Number(process.env.PORT ?? 8000),
  auth: { tokens: { [process.env.AGENT_TOKEN ?? '']: '*' } },
  allowedHosts: ['agent.example.com', '127.0.0.1'], // the second one for the check of a container's health
  trustedProxies: ['127.0.0.1'],
})
