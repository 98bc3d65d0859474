import type { AgentEvent } from '@agentkit/core'
import { useMemo, useState } from 'preact/hooks'
import { Markdown } from '../markdown/markdown.tsx'
import { plainName } from '../run/format.ts'
import { answerOf, applyEvent, newRunView, type RunView } from '../run/run-view.ts'
import { info } from '../store/server.ts'
import { t } from '../text/t.ts'
import { LongText } from '../work/long-text.tsx'
import { shownValue } from '../work/shown-value.ts'
import { Timeline } from '../work/timeline.tsx'

/** Shows a run as it was after each of its events. */
export function Stepper({ events }: { events: readonly AgentEvent[] }) {
  const [at, setAt] = useState(0)
  const view = useMemo(() => viewAt(events, at), [events, at])
  const event = events[at]
  const last = events.length - 1
  const go = (to: number): void => setAt(Math.max(0, Math.min(last, to)))
  const find = (isWanted: (event: AgentEvent, index: number) => boolean): number =>
    events.findIndex((one, index) => index > at && isWanted(one, index))
  const jumps = [
    [t('debug.first'), at > 0 ? 0 : -1],
    [t('debug.back'), at - 1],
    [t('debug.next'), at < last ? at + 1 : -1],
    [t('debug.last'), at < last ? last : -1],
    [t('debug.tool'), find(({ type }) => type === 'tool-call')],
    [t('debug.error'), find(isError)],
    [t('debug.member'), find((one, index) => one.path.join('/') !== events[index - 1]?.path.join('/'))],
  ] as const
  return (
    <div class="stepper">
      <p aria-live="polite">
        <strong>{t('debug.event', { at: String(at + 1), count: String(events.length) })}</strong>{' '}
        <code>{event && plainName(event.type, 40)}</code>{' '}
        <span class="fine">{event && plainName(event.path.join(' › '))}</span>
      </p>
      <input
        type="range"
        aria-label={t('debug.position')}
        min={1}
        max={events.length}
        value={at + 1}
        onInput={({ currentTarget }) => go(Number(currentTarget.value) - 1)}
      />
      <div class="actions">
        {jumps.map(([label, to]) => (
          <button key={label} type="button" disabled={to < 0} onClick={() => go(to)}>
            {label}
          </button>
        ))}
      </div>
      <div class="columns">
        <LongText key={at} label={t('debug.raw')} text={shownValue(event)} />
        <section aria-label={t('debug.state')}>
          <p class="label">{t('debug.state')}</p>
          <Timeline view={view} version={at} />
          <p class="label">{t('debug.answer')}</p>
          <Markdown text={answerOf(view)} />
        </section>
      </div>
    </div>
  )
}

function viewAt(events: readonly AgentEvent[], at: number): RunView {
  const view = newRunView(events[0]?.runId ?? '', info.value?.speaker)
  for (const event of events.slice(0, at + 1)) applyEvent(view, event)
  return view
}

function isError(event: AgentEvent): boolean {
  if (event.type === 'tool-result') return event.isError
  return (
    event.type === 'step-restart' ||
    event.type === 'model-fallback' ||
    (event.type === 'run-end' && event.error !== undefined) ||
    (event.type === 'agent-end' && event.status === 'failed')
  )
}
