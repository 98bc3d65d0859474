import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Hooks, type Model, type ModelRequest, type SessionStore, Swarm, type Tool, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'

export type TrialOptions = {
  sessions: SessionStore
  /** Called by each model call (`call`), and by each effect of a tool with its name. */
  log(kind: string, runId: string, agent: string, step: number): void
  /** How long a model call takes at most, in milliseconds. */
  thinkMs?: number
  /** The same of a tool, before its effect and after it. */
  actMs?: number
  /** A model call about this word ends its process. */
  poison?: string
  /** The version of the agents. Each version has a tool that others do not have. */
  version?: string
}

/**
 * The agents of a trial: one with three steps that read and write, and a swarm of two such members that work at once. What
 * they do follows from their conversation, so that any process continues them.
 */
export function trialAgents(options: TrialOptions): [Agent, Swarm] {
  const { sessions } = options
  const members = [worker('Ann', 2, options), worker('Ben', 2, options)]
  const manager = thinking(options, ({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return 'All have worked.'
    return ['ann', 'ben'].map((name) => ({ name, callId: `to-${name}`, input: { task: 'Work.' } }))
  })
  const team = new Swarm({ name: 'Team', agents: members, model: manager, sessions })
  return [worker('Steps', 3, options, sessions), team]
}

function worker(name: string, steps: number, options: TrialOptions, sessions?: SessionStore): Agent {
  const { log, poison, version } = options
  const model = thinking(options, ({ messages }) => {
    if (poison !== undefined && JSON.stringify(messages).includes(poison)) process.kill(process.pid, 'SIGKILL')
    const step = stepOf(messages)
    if (step >= steps) return `${name} has worked.`
    return ['read', 'write'].map((tool) => ({ name: tool, callId: `${tool}${step}`, input: { step } }))
  })
  const functions = [actOf('read', name, options, true), actOf('write', name, options, false)]
  if (version !== undefined) functions.push(actOf(`only-${version}`, name, options, true))
  const logged: Model = {
    ...model,
    stream(request, signal) {
      const { messages } = request
      const [runId = ''] = JSON.stringify(messages).match(/run_[-\w]+/) ?? []
      log('call', runId, name, stepOf(messages))
      return model.stream(request, signal)
    },
  }
  // The request says which run calls the model.
  const hooks: Hooks = {
    beforeModel: (request, { runId }) => ({
      ...request,
      messages: request.messages.map((message) =>
        message.role === 'user' ? { ...message, content: `${message.content} (${runId})` } : message,
      ),
    }),
  }
  const more = { ...(sessions && { sessions }), ...(version !== undefined && { version, instruction: `Version ${version}.` }) }
  return new Agent({ name, functions, model: logged, hooks, ...more })
}

function actOf(name: string, agent: string, { log, actMs = 20 }: TrialOptions, idempotent: boolean): Tool {
  const input = { type: 'object', properties: { step: { type: 'number' } } }
  return tool({
    ...{ name, description: name, input, idempotent },
    async execute({ step }, { runId, signal }) {
      if (actMs > 0) await sleep(Math.random() * actMs, undefined, { signal })
      log(name, runId, agent, Number(step))
      if (actMs > 0) await sleep(Math.random() * actMs, undefined, { signal })
      return 'done'
    },
  })
}

type ScriptedAnswer = string | { name: string; callId: string; input: { [field: string]: string | number } }[]

function thinking({ thinkMs = 100 }: TrialOptions, think: (request: ModelRequest) => ScriptedAnswer): Model {
  return {
    id: 'test/trial',
    async *stream(request, signal) {
      if (thinkMs > 0) await sleep(Math.random() * thinkMs, undefined, { signal })
      const scripted = think(request)
      const answer = typeof scripted === 'string' ? scripted : { toolCalls: scripted }
      yield* scriptedModel([answer]).stream(request, signal)
    },
  }
}

function stepOf(messages: ModelRequest['messages']): number {
  const from = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(from).filter(({ role }) => role === 'assistant').length
}
