import { formatCost, formatDuration, formatUsage, plainName } from '../run/format.ts'
import type { RunEnd } from '../run/run-view.ts'
import type { ShownTurn } from '../store/turn.ts'
import { hasText, t } from '../text/t.ts'

/** The tokens, cost, time and model of an answer, and the reason why it ended early. */
export function CostLine({ turn, end }: { turn: ShownTurn; end: RunEnd }) {
  const { startedAt, endedAt, view } = turn
  const called = view.agents.flatMap(({ entries }) =>
    entries.flatMap((one) => (one.type === 'step' && one.end?.model) || []),
  )
  const models = new Set([...view.models, ...called])
  const reason = `reason.${end.finishReason}`
  const parts = [
    formatUsage(end.usage),
    formatCost(end.cost, end.usage),
    endedAt !== undefined && endedAt >= startedAt && formatDuration(endedAt - startedAt),
    [...models]
      .slice(0, 3)
      .map((model) => plainName(model, 80))
      .join(', '),
    end.finishReason !== 'stop' && (hasText(reason) ? t(reason) : plainName(end.finishReason)),
  ]
  return <p class="cost">{parts.filter(Boolean).join(' · ')}</p>
}
