import { setImmediate as nextTurn } from 'node:timers/promises'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import {
  Agent,
  type AgentOptions,
  type Budget,
  type Collaboration,
  type JSONValue,
  type Member,
  type Model,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  Swarm,
  type SwarmOptions,
  type Tool,
  tool,
  validateTranscript,
} from '../index.ts'
import { costOf, worstCostOf } from '../policies/price.ts'
import type { Random } from './random.ts'

export const kinds = ['manager', 'handoff', 'parallel', 'sequence', 'routed'] as const
export type Kind = (typeof kinds)[number]

const price = { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' }
const info: ModelInfo = { maxOutputTokens: 400, price }

/** What the models and tools of a swarm observe, independently of the swarm's own reports. */
export type Seen = {
  modelCalls: number
  toolCalls: number
  inputTokens: number
  outputTokens: number
  usd: number
  /** The answers of each agent, by its id, in order. */
  said: Map<string, string[]>
  problems: string[]
}

export type AnySwarm = { swarm: Swarm; seen: Seen; budget: Budget; members: Map<string, Budget>; kinds: [Kind, Kind] }

export type Chances = {
  /** The collaboration of the outer and the inner swarm. */
  kinds: [Kind, Kind]
  budgets?: boolean
  /** Options of all agents and swarms. */
  options?: Partial<AgentOptions>
  outer?: Partial<SwarmOptions>
}

/** A swarm of two agents and a swarm of three; their answers and calls are random, and finite. */
export function anySwarm(random: Random, { kinds, budgets = false, options = {}, outer = {} }: Chances): AnySwarm {
  const seen: Seen = {
    ...{ modelCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, usd: 0 },
    ...{ said: new Map(), problems: [] },
  }
  const members = new Map<string, Budget>()
  const budget = budgets ? anyBudget(random, 24) : {}
  const worst = { tokens: 0, usd: 0 }
  const common = { guard: false as const, maxSteps: 60, retry: { attempts: 1 }, ...options }

  const modelOf = (id: string): Model => modelByChance(id, random.fork(), seen, budget, worst)
  const bounded = (id: string): { budget?: Budget } => {
    if (!budgets || !random.oneIn(3)) return {}
    members.set(id, anyBudget(random, 8))
    return { budget: members.get(id) ?? {} }
  }
  const agent = (name: string): Agent => {
    const functions = [countingTool(`work_${name}`, seen)]
    return new Agent({ ...common, name, functions, model: modelOf(name), ...bounded(name) })
  }
  const swarm = (name: string, kind: Kind, agents: Member[], more: Partial<SwarmOptions>): Swarm => {
    const collaboration: Collaboration = kind === 'routed' ? routeByChance(random.fork()) : kind
    const functions = kind === 'manager' || kind === 'parallel' ? [countingTool(`work_${name}`, seen)] : []
    return new Swarm({ ...common, name, functions, agents, collaboration, model: modelOf(name), ...more })
  }
  const inner = swarm('inner', kinds[1], [agent('c'), agent('d'), agent('e')], bounded('inner'))
  const agents = [agent('a'), inner, agent('b')]
  return { swarm: swarm('team', kinds[0], agents, { budget, ...outer }), seen, budget, members, kinds }
}

/** Every pair of kinds, one inside the other. */
export const pairs: readonly [Kind, Kind][] = kinds.flatMap((outer) =>
  kinds.map((inner): [Kind, Kind] => [outer, inner]),
)

function anyBudget(random: Random, calls: number): Budget {
  const figures: Budget = {
    usd: (random.below(1_000) * random.below(1_000)) / 1_000_000 / 20,
    tokens: random.below(calls * 1_500),
    modelCalls: random.below(calls),
    toolCalls: random.below(calls),
  }
  return Object.fromEntries(Object.entries(figures).filter(() => random.oneIn(3)))
}

function routeByChance(random: Random): Exclude<Collaboration, string> {
  return ({ agents, answers }) => {
    if (answers.length > 0 && random.oneIn(3)) return undefined
    return random.oneIn(3) ? agents : { agent: random.pick(agents), task: `Do part ${answers.length}.` }
  }
}

function countingTool(name: string, seen: Seen): Tool {
  return tool({
    ...{ name, description: 'Works.', input: { type: 'object' } },
    execute() {
      seen.toolCalls++
      return `${name} is done.`
    },
  })
}

/** At most about twenty words, and calls of the offered tools, fewer and fewer of them. */
function modelByChance(
  agent: string,
  random: Random,
  seen: Seen,
  budget: Budget,
  worst: { tokens: number; usd: number },
): Model {
  let calls = 0
  return {
    id: `test/${agent}`,
    info,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      for (const { problem } of validateTranscript(request.messages)) seen.problems.push(`${agent}: ${problem}`)
      const inputTokens = estimateRequest(request, info)
      const most = request.maxOutputTokens ?? info.maxOutputTokens ?? 0
      const share = {
        tokens: inputTokens + most,
        usd: worstCostOf({ inputTokens, outputTokens: most }, price),
      }
      worst.tokens += share.tokens
      worst.usd += share.usd
      seen.modelCalls++
      if (seen.inputTokens + seen.outputTokens + worst.tokens > (budget.tokens ?? Number.POSITIVE_INFINITY)) {
        seen.problems.push(`${agent} may pass the tokens`)
      }
      if (seen.usd + worst.usd > (budget.usd ?? Number.POSITIVE_INFINITY) + 1e-9) {
        seen.problems.push(`${agent} may pass the dollars`)
      }
      await nextTurn()
      const text = random.oneIn(3) ? '' : `${agent} says ${calls}.`
      const offered = (request.tools ?? []).filter(({ name }) => name !== 'read_tool_result')
      const wanted = random.below(8) > calls ? offered.filter(() => random.oneIn(2)).slice(0, 3) : []
      const toolCalls = wanted.map(({ name }) => ({
        ...{ type: 'tool-call' as const, callId: `${agent}-${calls}-${name}`, name },
        input: argumentsOf(name, calls) as never,
      }))
      calls++
      const words = text === '' && toolCalls.length === 0 ? `${agent} ends.` : text
      if (words !== '') {
        seen.said.set(agent, [...(seen.said.get(agent) ?? []), words])
        yield { type: 'text-delta', text: words.slice(0, 3) }
        yield { type: 'text-delta', text: words.slice(3) }
      }
      yield* toolCalls
      const usage = { inputTokens: 1 + random.below(inputTokens), outputTokens: 1 + random.below(most) }
      worst.tokens -= share.tokens
      worst.usd -= share.usd
      seen.inputTokens += usage.inputTokens
      seen.outputTokens += usage.outputTokens
      seen.usd += costOf(usage, price)
      const content = [...(words === '' ? [] : [{ type: 'text' as const, text: words }]), ...toolCalls]
      const reason = toolCalls.length > 0 ? 'tool-calls' : 'stop'
      yield { type: 'finish', reason, usage, message: { v: 1, role: 'assistant', content } }
    },
  }
}

function argumentsOf(name: string, call: number): JSONValue {
  return name.startsWith('work_') || name.startsWith('transfer_') ? {} : { task: `Do part ${call}.` }
}

