import { Agent, type Hooks, tool } from 'agentkit'
import { z } from 'zod'

const findCustomer = tool({
  name: 'find_customer',
  description: 'Finds a customer by name.',
  input: z.object({ name: z.string().describe('Name of the customer') }),
  execute: ({ name }) => ({ name, plan: 'Team', card: '4111 1111 1111 1111' }),
})

const hooks: Hooks = {
  input: ({ content }) =>
    JSON.stringify(content).includes('password') ? { block: 'Please keep passwords to yourself.' } : undefined,
  beforeTool: ({ name, input }, { userId }) => console.log(userId, 'calls', name, input),
  afterTool: (outcome) => {
    const text = JSON.stringify(outcome.output).replaceAll(/(\d{4} ){3}\d{4}/g, '(a card)')
    return { ...outcome, output: JSON.parse(text) }
  },
  output: ({ text }) => ({ text: `${text}\n\nI am a machine, and may be wrong.` }),
}

const agent = new Agent({ name: 'Desk', functions: [findCustomer], model: 'offline/extractive', hooks })
console.log(await agent.chat('Find the customer "Ada"'))
console.log(await agent.chat('My password is 1234')) // Please keep passwords to yourself.
