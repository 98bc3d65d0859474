import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const price = tool({
  name: 'price',
  description: 'The price of an item, in euros.',
  input: z.object({ item: z.string() }),
  idempotent: true, // reading twice does no harm
  execute: ({ item }) => item.length,
})
const order = tool({
  name: 'order',
  description: 'Orders an item.',
  input: z.object({ item: z.string() }),
  execute: ({ item }, { idempotencyKey }) => `Ordered ${item} (${idempotencyKey}).`,
})
const agent = new Agent({ name: 'Buyer', functions: [price, order], sessions: 'agentkit-data/sessions.db' })

const run = agent.stream('Order a lamp.', { sessionId: 'ada', resumable: true })
for await (const event of run) console.log(event.seq, event.type)
await agent.close()
