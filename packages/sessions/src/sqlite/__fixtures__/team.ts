import { setTimeout as sleep } from 'node:timers/promises'
import {
  Agent,
  type AgentOptions,
  type Collaboration,
  type JSONValue,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type SessionStore,
  Swarm,
  type SwarmOptions,
  type Tool,
  tool,
} from '@agentkit/core'

export type Kind = 'manager' | 'handoff' | 'parallel' | 'sequence' | 'routed'
export const kinds: readonly Kind[] = ['manager', 'handoff', 'parallel', 'sequence', 'routed']

type ScriptedAnswer = string | [name: string, input?: JSONValue][]

/** Hooks and settings of a team, beside the answers of its models. */
export type TeamOptions = {
  sessions: SessionStore
  /** Called by each tool call, before it returns. */
  effect?(what: string, key: string): void | Promise<void>
  /** Called by each model call. */
  called?(agent: string): void | Promise<void>
  budget?: SwarmOptions['budget']
  /** The options of each agent, by its name. */
  members?: { [name: string]: Partial<AgentOptions> }
  swarm?: Partial<SwarmOptions>
}

/** A model that answers by the conversation alone, so that it continues in any process. */
export function modelOf(
  agent: string,
  think: (request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  called: TeamOptions['called'] = () => {},
): Model {
  return {
    id: `test/${agent.toLowerCase()}`,
    info: { maxOutputTokens: 400, price: { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' } },
    async *stream(request): AsyncGenerator<ModelEvent> {
      await called(agent)
      const answer = await think(request)
      const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
      if (typeof answer === 'string') {
        yield { type: 'text-delta', text: answer }
        const content = [{ type: 'text' as const, text: answer }]
        yield { type: 'finish', reason: 'stop', usage, message: { v: 1, role: 'assistant', content } }
        return
      }
      const step = request.messages.filter(({ role }) => role === 'assistant').length
      const calls = answer.map(([name, input = {}], index) => {
        return { type: 'tool-call' as const, callId: `${agent}-${step}-${index}`, name, input }
      })
      yield* calls
      yield { type: 'finish', reason: 'tool-calls', usage, message: { v: 1, role: 'assistant', content: calls } }
    },
  }
}

/** The text of the last message. */
export function lastWords({ messages }: { messages: readonly Message[] }): string {
  const { content = '' } = messages.at(-1) ?? {}
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : '')).join('')
}

/** An agent that makes these calls, one after the other, and then answers. */
export function worker(name: string, tools: readonly Tool[], options: TeamOptions): Agent {
  const model = modelOf(
    name,
    (request) => {
      const after = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user') + 1)
      const step = after.filter(({ role }) => role === 'assistant').length
      const next = tools[step]
      return next ? [[next.name, { step }]] : `${name} has answered.`
    },
    options.called,
  )
  const { members: { [name]: more = {} } = {} } = options
  return new Agent({ name, instruction: `You are ${name}.`, functions: [...new Set(tools)], model, ...more })
}

/** A tool that writes what it does. */
export function effect(name: string, { effect = () => {} }: TeamOptions, more: Partial<Omit<Tool, 'client' | 'output' | 'inputSchema'>> = {}): Tool {
  return tool({
    ...{ name, description: name, input: { type: 'object', properties: { step: { type: 'number' } } } },
    async execute({ step }, { idempotencyKey }) {
      await effect(`${name} ${step}`, idempotencyKey)
      await sleep(1)
      return `${name} is done.`
    },
    ...more,
  })
}

/** Gives a task to all members at once, then answers. */
export function bossOf(name: string, members: readonly string[], { called }: TeamOptions): Model {
  return modelOf(
    name,
    ({ messages }) => {
      const last = messages.at(-1)
      if (last?.role === 'tool') return `${name}: all is done.`
      return members.map((member) => [member, { task: `Help ${name}.` }])
    },
    called,
  )
}

/** A swarm of these members, which all work once. */
export function swarmOf(name: string, kind: Kind, agents: readonly (Agent | Swarm)[], options: TeamOptions): Swarm {
  const ids = agents.map(({ id }) => id)
  const route: Collaboration = ({ answers }) => ids[answers.length]
  const { sessions, budget, swarm = {} } = options
  return new Swarm({
    ...{ name, agents, sessions, collaboration: kind === 'routed' ? route : kind },
    model: bossOf(name, ids, options),
    ...(budget && { budget }),
    ...swarm,
  })
}
