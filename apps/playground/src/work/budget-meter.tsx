import { useEffect, useState } from 'preact/hooks'
import { formatNumber, formatUsd } from '../run/format.ts'
import type { RunView } from '../run/run-view.ts'
import { isRunning, type ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'

type Limit = 'usd' | 'tokens' | 'modelCalls' | 'toolCalls' | 'seconds'
type Use = { limit: Limit; used: number; most: number }

/** How much of the narrowest limit of its budget a run has used, while it runs. */
export function BudgetMeter({ turn }: { turn: ShownTurn }) {
  const [now, setNow] = useState(Date.now())
  turn.version.value // drawn again when the run goes on
  const hasSeconds = turn.view.budget?.seconds !== undefined && isRunning(turn)
  useEffect(() => {
    if (!hasSeconds) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [hasSeconds])
  const use = narrowest(turn.view, (now - turn.startedAt) / 1_000)
  if (!use) return null
  const { limit, used, most } = use
  const show = (value: number): string => (limit === 'usd' ? formatUsd(value) : formatNumber(Math.round(value)))
  const text = t('cost.meter', { limit: t(`limit.${limit}`), used: show(used), most: show(most) })
  return (
    <div class="budget">
      <meter
        aria-label={t('cost.budget')}
        aria-valuetext={text}
        min={0}
        max={most}
        value={Math.min(used, most)}
        high={most * 0.8}
      />
      <span>{text}</span>
    </div>
  )
}

/** @returns `undefined` for a run without limits; cost counts where every price is known */
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
    return most === undefined || most <= 0 || (limit === 'usd' && !spent.isPriced)
      ? []
      : [{ limit, used: used[limit], most }]
  })
  return uses.sort((one, other) => other.used / other.most - one.used / one.most)[0]
}
