import { Agent, tool } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { z } from 'zod'
import { type Contestant, systemPrompt } from '../contestant.ts'

const echo = tool({
  name: 'echo',
  description: 'Gives the text back.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
})

export function setup(baseURL: string): Contestant {
  const provider = openai({ baseURL, apiKey: 'test' })
  const agents = new Map<string, Agent>()
  const agentFor = (model: string): Agent => {
    const known = agents.get(model) ?? buildAgent(provider, model)
    agents.set(model, known)
    return known
  }
  return {
    construct: (model) => void agentFor(model),
    async run(model, prompt, session, onDelta) {
      const run = agentFor(model).stream(prompt, session ? { sessionId: session } : {})
      let toolCalls = 0
      for await (const event of run) {
        if (event.type === 'text-delta') onDelta?.(event.text)
        else if (event.type === 'tool-result') toolCalls++
      }
      const { text, error } = await run.result
      if (error) throw error
      return { text, toolCalls }
    },
  }
}

export function buildAgent(provider: ReturnType<typeof openai>, model: string): Agent {
  return new Agent({
    name: 'Bench',
    instruction: systemPrompt,
    functions: [echo],
    model: provider.model(model),
    maxSteps: 100,
  })
}
