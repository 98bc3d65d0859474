import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Office',
  instruction: 'You answer questions of employees, briefly.',
  model: 'offline/extractive', // no key needed; later your model: 'openai/gpt-5.4-mini'
})

console.log(await agent.chat('Hello, who are you?'))
await agent.close()
