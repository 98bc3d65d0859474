import { Agent } from 'agentkit'

const agent = new Agent({ name: 'Notes', functions: [] })
const session = { userId: 'kim', sessionId: 'pets' }

const { runId, text } = await agent.stream('Name three cats.', session).result
console.log(text)
console.log(await agent.chat('Name three dogs.', { ...session, replaces: runId }))
await agent.close()
