import { useState } from 'preact/hooks'
import { callsOf } from '../run/run-view.ts'
import { Disclosure } from '../shell/disclosure.tsx'
import { followTurn } from '../store/follow-turn.ts'
import type { ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'
import { Timeline } from './timeline.tsx'

/** The steps of an answer, closed until the user opens them. Steps of the history are loaded then. */
export function Work({ turn }: { turn: ShownTurn }) {
  const [isOpen, setOpen] = useState(false)
  const { view, hasSteps, keepsEvents, version } = turn
  version.value // drawn again when the run continues
  const isKnown = hasSteps.value
  const steps = view.agents.reduce((sum, { entries }) => sum + entries.filter(({ type }) => type === 'step').length, 0)
  const calls = callsOf(view).length
  const hasMore =
    calls > 0 || view.agents.length > 1 || steps > 1 || view.agents.some(({ entries }) => entries.some(isNotable))
  if (isKnown ? !hasMore && !isOpen : !keepsEvents) return null
  const toggle = (opens: boolean): void => {
    setOpen(opens)
    if (opens && !isKnown) void followTurn(turn)
  }
  const summary = isKnown ? summaryOf(steps, calls) : t('work.load')
  return (
    <Disclosure class="work" summary={summary} onToggle={toggle}>
      <Timeline view={view} version={version.value} />
    </Disclosure>
  )
}

function summaryOf(steps: number, calls: number): string {
  return t('work.summary', {
    steps: steps === 1 ? t('work.step1') : t('work.steps', { count: String(steps) }),
    calls: calls === 1 ? t('work.call1') : t('work.calls', { count: String(calls) }),
  })
}

function isNotable(entry: { type: string; restarts?: readonly unknown[] }): boolean {
  return entry.type !== 'step' || (entry.restarts?.length ?? 0) > 0
}
