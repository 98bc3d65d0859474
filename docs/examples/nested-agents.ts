import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const researcher = new Agent({ name: 'Researcher', functions: [], model: 'openai/gpt-5.4-mini' })

const research = tool({
  name: 'research',
  description: 'Finds out about a topic.',
  input: z.object({ topic: z.string() }),
  timeoutMs: 180_000, // a run takes longer than the 30 s of other tools
  execute: ({ topic }) => researcher.chat(topic),
})

const editor = new Agent({
  name: 'Editor',
  functions: [research],
  model: 'openai/gpt-5.4',
  budget: { usd: 0.2 }, // the researcher's calls too
})

const { text, cost, error } = await editor.stream('Write three sentences about tides.').result
console.log(error?.message ?? text, cost) // the cost of both
