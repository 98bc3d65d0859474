import { Agent } from '../../agents/agent.ts'
import type { Budget } from '../../data/budget.ts'
import type { Model } from '../../contracts/model.ts'
import type { StandardSchema } from '../../contracts/standard-schema.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { anyHooks } from './any-hooks.ts'
import { anyModel } from './any-model.ts'
import { anyTools } from './any-tools.ts'
import type { Random } from '../random.ts'

/** An agent, and the limits of its runs. */
export type AnyAgent = { agent: Agent<unknown>; isOutput?: (value: unknown) => boolean }

export const mostSteps = 6

/** An agent with random options, which are the same for each process of a conversation. */
export function anyAgent(random: Random, sessions: SessionStore, budget: Budget, nextId: () => string): AnyAgent {
  const [model, ...others] = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => {
    return anyModel(random.fork(), index + 1, nextId)
  }) as [Model, ...Model[]]
  const hooks = random.oneIn(3) ? anyHooks(random.fork()) : {}
  const hasOutput = random.oneIn(5)
  const agent = new Agent<unknown>({
    name: 'Test',
    functions: anyTools(random.fork(), model, sessions),
    model: [model, ...others],
    sessions,
    maxSteps: mostSteps,
    toolTimeoutMs: 15,
    modelTimeoutMs: 25,
    retry: { attempts: random.pick([1, 2, 4]), firstWaitMs: 2, longestWaitMs: 3, longestRetryAfterMs: 5 },
    onBusy: random.pick(['queue', 'queue', 'reject', 'interrupt']),
    hooks,
    budget,
    ...(random.oneIn(3) && { instruction: 'You help.' }),
    ...(random.oneIn(5) && { guard: false }),
    ...(hasOutput && { output: oneNumber }),
  })
  return { agent, ...(hasOutput && { isOutput: isOneNumber }) }
}

/** One or several random limits, some of them too low for any run. */
export function anyBudget(random: Random): Budget {
  const budget: Required<Budget> = {
    modelCalls: random.below(8),
    toolCalls: random.below(6),
    tokens: random.pick([500, 4_000, 15_000, 60_000]),
    usd: random.pick([0.000_1, 0.01, 0.1]),
    seconds: random.pick([0.005, 0.02, 5]),
  }
  return Object.fromEntries(Object.entries(budget).filter(() => random.oneIn(3)))
}

/** The output schema: `{ n: 1 }`. */
const oneNumber: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) => (isOneNumber(value) ? { value } : { issues: [{ message: 'n must be a whole number' }] }),
    jsonSchema: {
      input: () => ({
        type: 'object',
        properties: { n: { type: 'integer' } },
        required: ['n'],
        additionalProperties: false,
      }),
    },
  },
}

function isOneNumber(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'n' in value && Number.isInteger(value.n)
}
