import type { RunView } from '../run/run-view.ts'

type Limit = 'usd' | 'tokens' | 'modelCalls' | 'toolCalls' | 'seconds'
export type Use = { limit: Limit; used: number; most: number }

/** @returns `undefined` for a run without limits; tokens and cost count only if they are known for every call */
export function narrowest({ budget = {}, spent }: Pick<RunView, 'budget' | 'spent'>, seconds: number): Use | undefined {
  const used: Record<Limit, number> = {
    usd: spent.usd,
    tokens: spent.tokens,
    modelCalls: spent.modelCalls,
    toolCalls: spent.toolCalls,
    seconds: Math.max(0, seconds),
  }
  const uses = Object.keys(used).flatMap((name): Use[] => {
    const limit = name as Limit // a key of the record above
    const most = budget[limit]
    const isUnknown = (limit === 'usd' && !spent.isPriced) || (limit === 'tokens' && !spent.isCounted)
    return most === undefined || most <= 0 || isUnknown ? [] : [{ limit, used: used[limit], most }]
  })
  return uses.sort((one, other) => other.used / other.most - one.used / one.most)[0]
}
