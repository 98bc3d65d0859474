import { tool as langChainTool } from '@langchain/core/tools'
import { Agent, functionsOf } from 'agentkit'
import { tool as aiTool } from 'ai'
import { z } from 'zod'

const weather = aiTool({
  description: 'The weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }, { abortSignal }) => {
    const url = `https://weather.example/${encodeURIComponent(city)}`
    const response = await fetch(url, { ...(abortSignal && { signal: abortSignal }) })
    return response.json()
  },
})

const pay = aiTool({
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  execute: async ({ invoice }) => ({ paid: invoice }),
})

const search = langChainTool(({ words }) => `Nothing about ${words}.`, {
  name: 'search',
  description: 'Searches the intranet.',
  schema: z.object({ words: z.string() }),
})

export const agent = new Agent({
  name: 'Office',
  functions: [{ weather }, functionsOf({ pay }, { needsApproval: ['pay'] }), search],
})
