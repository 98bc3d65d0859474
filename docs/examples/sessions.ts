import { Agent, isAgentKitError } from 'agentkit'

const agent = new Agent({ name: 'Notes', functions: [], sessions: 'agentkit-data/notes.db' })

await agent.chat('My cat is called Ada.', { userId: 'kim', sessionId: 'pets' })
console.log(await agent.chat('What is my cat called?', { userId: 'kim', sessionId: 'pets' }))

try {
  await agent.chat('And my dog?', { userId: 'kim', sessionId: 'pets', timeoutMs: 10_000 })
} catch (error) {
  if (!isAgentKitError(error)) throw error
  console.error(error.code, error.message, error.usage) // the session continues without this turn
}
await agent.close()
