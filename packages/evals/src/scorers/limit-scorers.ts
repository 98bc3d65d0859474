import type { Budget } from '@agentkit/core'
import { budgetNames, checkOptions, invalidArgument, isAmount } from '@agentkit/core/internal'
import type { Score, ScoredRun, Scorer } from '../data/scorer.ts'
import { calledTools } from './tool-trajectory.ts'

/**
 * Whether the run stayed within a budget. Unlike the budget of an agent it stops nothing. A figure that is not known, such
 * as the cost of a model without a price, has no score. Calls of members count; model calls are those that finished.
 *
 * @throws AgentKitError `invalid-argument` for an empty budget, an unknown figure or a wrong one
 * @example
 * withinBudget({ usd: 0.01, toolCalls: 3 })
 */
export function withinBudget(budget: Budget): Scorer {
  const rule = { usd: isAmount, tokens: isAmount, modelCalls: isAmount, toolCalls: isAmount, seconds: isAmount }
  checkOptions(budget, rule, { of: 'withinBudget', example: '{ usd: 0.01 }' })
  const most = budgetNames.flatMap((name) => (budget[name] === undefined ? [] : [{ name, limit: budget[name] }]))
  if (most.length === 0) throw invalidArgument('`withinBudget` needs a figure, such as { usd: 0.01 }.')
  return {
    name: 'withinBudget',
    version: JSON.stringify(most),
    score(run) {
      const over = most.flatMap(({ name, limit }) => {
        const used = usedOf[name](run)
        if (used === undefined)
          throw invalidArgument(`The \`${name}\` of the run are not known: its model does not report them.`)
        return used > limit ? [`${name}: ${used} of ${limit}`] : []
      })
      return over.length === 0 ? 1 : { score: 0, reason: over.join(', ') }
    },
  }
}

const usedOf: Record<keyof Budget, (run: ScoredRun) => number | undefined> = {
  usd: ({ result }) => result.cost?.usd,
  tokens: ({ result: { usage } }) => {
    const { inputTokens, outputTokens, totalTokens } = usage
    if (inputTokens === undefined && outputTokens === undefined) return totalTokens
    return Math.max((inputTokens ?? 0) + (outputTokens ?? 0), totalTokens ?? 0)
  },
  // `result.steps` counts the run alone, without its members.
  modelCalls: ({ result, events }) => Math.max(result.steps, events.filter(({ type }) => type === 'step-end').length),
  toolCalls: ({ events }) => calledTools(events).length,
  seconds: ({ durationMs }) => durationMs / 1000,
}

/**
 * Whether the run took at most `ms`. A replay has the durations of the recording.
 *
 * @param ms milliseconds, from the start of the run to its end
 * @throws AgentKitError `invalid-argument` for something other than a number above 0
 * @example
 * latency(5_000)
 */
export function latency(ms: number): Scorer {
  if (!(typeof ms === 'number' && ms > 0)) throw invalidArgument('`latency` takes a number of milliseconds above 0.')
  return {
    name: 'latency',
    version: `${ms}`,
    score: ({ durationMs }): Score => (durationMs <= ms ? 1 : { score: 0, reason: `${durationMs} ms` }),
  }
}
