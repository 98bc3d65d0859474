import { Agent, Swarm, tool } from 'agentkit'
import { z } from 'zod'

const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number.',
  input: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, status: 'shipped' }),
})

const orders = new Agent({
  name: 'Orders',
  description: 'Finds orders and their status.',
  instruction: 'You answer questions about orders.',
  functions: [findOrder],
  model: 'openai/gpt-5.4-mini',
})
const desk = new Swarm({
  name: 'Desk',
  instruction: 'You answer customers, briefly.',
  agents: [orders],
  model: 'openai/gpt-5.4-mini',
  sessions: 'agentkit-data/sessions.db', // or postgres://…
})

const run = desk.stream('Where is order A7?', { userId: 'ada', sessionId: 'thread-1' })
for await (const { path, ...event } of run) {
  if (event.type === 'tool-call') console.log(path.join(' > '), event.name, event.input)
  if (event.type === 'text-delta' && path.length === 1) process.stdout.write(event.text)
}
