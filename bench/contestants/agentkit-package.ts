import { tmpdir } from 'node:os'
import { Agent, tool } from 'agentkit'
import { type Contestant, echoTool, systemPrompt } from '../contestant.ts'

/** The package that combines everything, for its start alone. */
export function setup(baseURL: string): Contestant {
  // A folder without a configuration file.
  process.chdir(tmpdir())
  Object.assign(process.env, { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: 'test' })
  const { name, description, parameters } = echoTool.function
  const echo = tool({ name, description, input: parameters, execute: ({ text }: { text: string }) => text })
  const agents = new Map<string, Agent>()
  const agentFor = (model: string): Agent => {
    const options = { name: 'Bench', instruction: systemPrompt, functions: [echo], sessions: ':memory:' }
    const agent = agents.get(model) ?? new Agent({ ...options, model: `openai/${model}` })
    agents.set(model, agent)
    return agent
  }
  return {
    construct: (model) => void agentFor(model),
    async run({ model, prompt }) {
      const { text, messages, error } = await agentFor(model).stream(prompt).result
      if (error) throw error
      return { text, toolCalls: messages.filter(({ role }) => role === 'tool').length }
    },
  }
}
