import { Agent, type AgentRun, type Message, Swarm, tool } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { type Contestant, earlierMessages, echoTool, type Prompt, type Run, systemPrompt } from '../contestant.ts'

const { name, description, parameters } = echoTool.function
const echo = tool({ name, description, input: parameters, execute: ({ text }: { text: string }) => text })

export function setup(baseURL: string): Contestant {
  const provider = openai({ baseURL, apiKey: 'test' })
  const agentFor = remembered((model) => buildAgent(provider, model))
  let storedAgent: Agent | undefined
  const swarms = new Map<string, Swarm>()
  const swarmFor = (model: string, members: number): Swarm => {
    const key = `${model} ${members}`
    const known = swarms.get(key) ?? buildSwarm(provider, model, members)
    swarms.set(key, known)
    return known
  }
  return {
    construct: (model) => void agentFor(model),
    async run({ model, prompt, session, plain, onDelta }) {
      const agent = storedAgent ?? agentFor(model)
      const options = session ? { sessionId: session } : {}
      if (!plain) return readRun(agent.stream(prompt, options), onDelta)
      const { text, messages, error } = await agent.stream(prompt, options).result
      if (error) throw error
      return { text, toolCalls: messages.filter(({ role }) => role === 'tool').length }
    },
    async storeSession(file, { session, model, count, hasSummary }) {
      const { sqliteSessions } = await import('@agentkit/sessions')
      storedAgent ??= buildAgent(provider, model, sqliteSessions(file))
      const { sessions, id: agentId } = storedAgent
      const messages = earlierMessages(count).map(({ role, content }): Message => {
        return role === 'user' ? { role, content } : { v: 1, role, content: [{ type: 'text', text: content }] }
      })
      const key = { agentId, userId: 'default', sessionId: session }
      // The messages are stored in turns of two, as in a real conversation.
      for (let turn = 0; turn * 2 < count; turn++) {
        const runId = `${session}-${turn}`
        const last = turn * 2 + 2 >= count
        const compaction = { covered: count - 50, cleared: count - 50, summary: 'They talked for a long time.' }
        await sessions.begin(key, { runId, expectedVersion: turn * 2, input: messages.slice(turn * 2, turn * 2 + 1) })
        const state = last && hasSummary ? [{ compaction }] : []
        await sessions.append(runId, messages.slice(turn * 2 + 1, turn * 2 + 2), ...state)
        await sessions.end(runId, 'done')
      }
    },
    runSwarm: ({ model, prompt, onDelta }, members) => readRun(swarmFor(model, members).stream(prompt), onDelta),
  }
}

async function readRun(run: AgentRun, onDelta: Prompt['onDelta']): Promise<Run> {
  let toolCalls = 0
  for await (const event of run) {
    if (event.type === 'text-delta') onDelta?.(event.text)
    else if (event.type === 'tool-result') toolCalls++
  }
  const { text, error } = await run.result
  if (error) throw error
  return { text, toolCalls }
}

function remembered(make: (model: string) => Agent): (model: string) => Agent {
  const made = new Map<string, Agent>()
  return (model) => {
    const known = made.get(model) ?? make(model)
    made.set(model, known)
    return known
  }
}

type Sessions = NonNullable<ConstructorParameters<typeof Agent>[0]['sessions']>

export function buildAgent(provider: ReturnType<typeof openai>, model: string, sessions?: Sessions): Agent {
  return new Agent({
    ...{ name: 'Bench', instruction: systemPrompt, functions: [echo], model: provider.model(model), maxSteps: 100 },
    ...(sessions && { sessions }),
  })
}

function buildSwarm(provider: ReturnType<typeof openai>, model: string, members: number): Swarm {
  const agents = Array.from({ length: members }, (_, index) => {
    const shared = { instruction: systemPrompt, functions: [echo], model: provider.model(model), maxSteps: 100 }
    return new Agent({ ...shared, name: `Member ${index}` })
  })
  return new Swarm({ name: 'Bench', agents, collaboration: 'sequence' })
}
