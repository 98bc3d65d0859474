import { formatCost, formatNumber, formatUsage, plainName } from '../run/format.ts'
import type { AgentView, NoteView, RunView, StepView } from '../run/run-view.ts'
import { nameApart } from '../shell/name-apart.ts'
import { hasText, language, t } from '../text/t.ts'
import { CallCard } from './call-card.tsx'
import { LongText } from './long-text.tsx'

/**
 * The steps of a run, with each member of a swarm in a section of its own.
 *
 * @param props.version rises when `view` has changed. `view` is one object for the whole run, and components are
 *   rendered again only for new props
 */
export function Timeline({ view, version }: { view: RunView; version: number }) {
  const agents = view.agents.filter(({ entries, status }) => entries.length > 0 || status !== undefined)
  if (agents.length === 0) return view.isOpen ? null : <p class="fine">{t('work.gone')}</p>
  return (
    <section key={language.value} class="agents" ref={nameApart} aria-label={t('work.title')}>
      {agents.map((agent) => (
        <AgentSection key={agent.key} agent={agent} version={version} isOnly={agents.length === 1} />
      ))}
    </section>
  )
}

function AgentSection({ agent, version, isOnly }: { agent: AgentView; version: number; isOnly: boolean }) {
  const name = plainName(agent.name, 80)
  const status = agent.status === undefined ? '' : statusText(agent.status)
  const usage = usageOf(agent)
  return (
    <section class="agent" ref={nameApart} data-depth={Math.min(agent.path.length, 4)} aria-label={name}>
      {!isOnly && (
        <h3>
          <span dir="auto">{name}</span>
          {status !== '' && <span class={`tag ${agent.status === 'failed' ? 'bad' : ''}`}>{status}</span>}
          {usage && <span class="fine">{usage}</span>}
        </h3>
      )}
      {agent.reason !== undefined && <p class="fine">{plainName(agent.reason, 500)}</p>}
      <ol class="steps">
        {agent.entries.map((entry, index) => (
          <li key={index}>
            {entry.type === 'step' ? (
              <Step step={entry} version={version} showsText={agent.path.length > 1} />
            ) : (
              <Note note={entry} />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Step({ step, version, showsText }: { step: StepView; version: number; showsText: boolean }) {
  const { end, restarts, calls, text } = step
  return (
    <>
      <p class="step">
        <strong>{t('work.step', { step: String(step.step) })}</strong>
        {end && (
          <span class="fine">
            {plainName(end.model, 80)} · {formatUsage(end.usage)} · {formatCost(end.cost, end.usage)}
          </span>
        )}
      </p>
      {restarts.map((error, index) => (
        <p key={index} class="note bad">
          {t('work.restart', { reason: plainName(error.message, 500) })}
        </p>
      ))}
      {showsText && text !== '' && <LongText label={t('work.said')} text={text} />}
      {calls.map((call) => (
        <CallCard key={call.callId} call={call} version={version} />
      ))}
    </>
  )
}

function Note({ note }: { note: NoteView }) {
  if (note.type === 'handoff') return <p class="note">{t('work.handoff', { to: plainName(note.to, 80) })}</p>
  const { from, to, error } = note
  const values = { from: plainName(from, 80), to: plainName(to, 80), reason: plainName(error.message, 500) }
  return <p class="note bad">{t('work.fallback', values)}</p>
}

function usageOf({ entries, path }: AgentView): string | undefined {
  if (path.length < 2) return undefined
  let tokens = 0
  let usd = 0
  let isPriced = true
  let isEstimated = false
  for (const entry of entries) {
    if (entry.type !== 'step' || !entry.end) continue
    const { usage, cost } = entry.end
    const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage
    tokens += Math.max(inputTokens + outputTokens, totalTokens)
    if (usage.estimated || cost?.estimated) isEstimated = true
    if (cost) usd += cost.usd
    else isPriced = false
  }
  if (tokens === 0) return undefined
  const count = (isEstimated ? '~' : '') + formatNumber(tokens)
  const cost = isPriced ? { usd, ...(isEstimated && { estimated: true }) } : undefined
  return `${t('cost.tokens', { count })} · ${formatCost(cost)}`
}

function statusText(status: string): string {
  const key = `status.${status}`
  return hasText(key) ? t(key) : plainName(status, 40)
}
