import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const search = tool({
  name: 'search_orders',
  description: 'Finds orders of the current user by words.',
  input: z.object({ words: z.string(), limit: z.number().int().max(50).default(10) }),
  timeoutMs: 5_000,
  async execute({ words, limit }, { userId, signal }) {
    const query = new URLSearchParams({ user: userId, q: words, limit: String(limit) })
    const response = await fetch(`https://orders.example/search?${query}`, { signal })
    return response.ok ? response.json() : null // null tells the model that there is no result
  },
})

const ping = tool({
  name: 'ping',
  description: 'Tells whether a host answers.',
  input: { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] }, // JSON Schema works too
  execute: ({ host }) => fetch(`https://${host}`).then(({ status }) => ({ status })),
})

export const agent = new Agent({ name: 'Shop', functions: [search, ping] })
