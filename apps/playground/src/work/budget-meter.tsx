import { useEffect, useState } from 'preact/hooks'
import { formatNumber, formatUsd } from '../run/format.ts'
import { isRunning, type ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'
import { narrowest } from './narrowest.ts'

/** How much of the narrowest limit of its budget a run has used, while it runs. */
export function BudgetMeter({ turn }: { turn: ShownTurn }) {
  const [now, setNow] = useState(Date.now())
  turn.version.value // drawn again when the run continues
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
        aria-label={`${t('cost.budget')}: ${text}`}
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
