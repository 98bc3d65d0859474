import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Helper',
  instruction: 'You help with questions about gardens.',
  functions: [],
  model: 'offline/extractive',
  sessions: 'sessions.db', // keeps approvals, and runs whose page is reloaded
})

await agent.run({ cors: { origins: ['http://localhost:5173'] } })
