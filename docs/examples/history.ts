import { Agent, type Message } from 'agentkit'

const agent = new Agent({ name: 'Notes', functions: [], model: 'offline/extractive' })

// Yours: read them from where you keep them.
const history: Message[] = [
  { role: 'user', content: 'My cat is called Ada.' },
  { role: 'assistant', content: [{ type: 'text', text: 'A fine name.' }] },
]

const { text, messages } = await agent.stream('What is my cat called?', { history }).result
console.log(text)
history.push(...messages) // the question, the answer, and what tools gave between them
await agent.close()
