import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Office',
  model: 'offline/extractive',
  sessions: 'agentkit-data/office.db', // SQLite, in this folder
})

const ada = { userId: 'ada', sessionId: 'garage' }
await agent.chat('My parking space is number 17.', ada)
console.log(await agent.chat('What is the number of my parking space?', ada))

const session = await agent.sessions.load({ agentId: agent.id, ...ada })
console.log(`${session?.messages.length} messages are stored; the next start of this program continues them.`)
await agent.close()
