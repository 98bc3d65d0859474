import { useState } from 'preact/hooks'
import { SourceChips } from '../files/source-chips.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { plainName } from '../run/format.ts'
import { answerOf, callsOf } from '../run/run-view.ts'
import { Disclosure } from '../shell/disclosure.tsx'
import { focusMessage } from '../shell/focus.ts'
import { nameApart } from '../shell/name-apart.ts'
import { ProblemCard } from '../shell/problem-card.tsx'
import { ask, isLoading } from '../store/chat.ts'
import { info } from '../store/server.ts'
import { isRunning, isWaiting, type ShownTurn } from '../store/turn.ts'
import { language, t } from '../text/t.ts'
import { ApprovalCard } from '../work/approval-card.tsx'
import { BudgetMeter } from '../work/budget-meter.tsx'
import { CostLine } from '../work/cost-line.tsx'
import { Work } from '../work/work.tsx'
import { AnswerActions } from './answer-actions.tsx'
import { Question } from './question.tsx'

/** A question with its answer, and how the answer came about. */
export function TurnView({ turn, isBusy }: { turn: ShownTurn; isBusy: boolean }) {
  const [isEditing, setEditing] = useState(false)
  turn.version.value // reads the signal, so that the component is rendered again when the run continues
  const { view } = turn
  const text = answerOf(view)
  const isOpen = isRunning(turn)
  const again = (question: string): void => {
    if (isLoading.value) return
    // The element that had the focus belongs to the replaced answer.
    focusMessage()
    setEditing(false)
    void ask({ text: question, replaces: turn })
  }
  return (
    <section class="turn" ref={nameApart} aria-label={plainName(turn.question, 80)}>
      <Question turn={turn} isBusy={isBusy} isEditing={isEditing} setEditing={setEditing} onResend={again} />
      <article class="answer" aria-busy={isOpen} aria-label={plainName(info.value?.name ?? '')}>
        <Work turn={turn} />
        {view.agents[0] && <Reasoning turn={turn} />}
        {text !== '' && <Markdown key={language.value} text={text} isDone={!isOpen} />}
        {isOpen && !isWaiting(turn) && <Activity turn={turn} hasText={text !== ''} />}
        {turn.isLost.value && (
          <p class="fine" role="status">
            {t('chat.lost')}
          </p>
        )}
        {view.approvals
          .filter((approval) => approval.isOpen && isWaiting(turn))
          .map((approval) => (
            <ApprovalCard key={approval.approvalId} turn={turn} approval={approval} />
          ))}
        <Outcome turn={turn} text={text} isOpen={isOpen} />
        <SourceChips sources={view.sources} count={view.sources.length} />
        {isOpen && <BudgetMeter turn={turn} />}
        {!isOpen && view.end && <CostLine turn={turn} end={view.end} />}
        {!isOpen && (
          <AnswerActions
            turn={turn}
            text={text}
            isBusy={isBusy}
            onRegenerate={() => again(turn.question)}
            onEdit={() => setEditing(true)}
          />
        )}
      </article>
    </section>
  )
}

/** The activity of a run while it emits no text. Its space is reserved, so that the layout does not move. */
function Activity({ turn, hasText }: { turn: ShownTurn; hasText: boolean }) {
  turn.version.value // reads the signal, so that the component is rendered again when the run continues
  const call = callsOf(turn.view).findLast(({ durationMs }) => durationMs === undefined)
  return (
    <p class="activity">
      <span class="pulse" />
      {call ? t('chat.working', { name: plainName(call.name, 80) }) : hasText ? '' : t('chat.thinking')}
    </p>
  )
}

function Reasoning({ turn }: { turn: ShownTurn }) {
  turn.version.value // reads the signal, so that the component is rendered again when the run continues
  const reasoning = turn.view.answerSteps
    .map((step) => step.reasoning)
    .join('\n\n')
    .trim()
  if (reasoning === '') return null
  return (
    <Disclosure class="reasoning" summary={t('chat.reasoning')}>
      <p class="pre">{reasoning.slice(-20_000)}</p>
    </Disclosure>
  )
}

/** How the answer has ended, where that is not by its last word. */
function Outcome({ turn, text, isOpen }: { turn: ShownTurn; text: string; isOpen: boolean }) {
  const { view, problem, version } = turn
  version.value // reads the signal, so that the component is rendered again when the run continues
  const failure = problem.value
  if (failure) return <ProblemCard problem={failure} runId={view.runId || undefined} />
  const { end } = view
  if (isOpen || !end) return null
  const { error, warnings } = end as typeof end & { warnings?: string[] }
  // After a reload the page has only that of the provider.
  const requestId = turn.requestId ?? error?.requestId
  return (
    <>
      {error && end.finishReason === 'error' && (
        <ProblemCard
          problem={{
            status: error.status ?? 500,
            code: error.code,
            detail: error.message,
            ...(requestId && { requestId }),
          }}
          runId={view.runId}
        />
      )}
      {text === '' && !error && end.finishReason === 'stop' && <p class="fine">{t('chat.noAnswer')}</p>}
      {warnings?.slice(0, 10).map((warning) => (
        <p key={warning} class="card warning">
          <strong>{t('error.warning')}</strong> {warning.slice(0, 1_000)}{' '}
          {requestId && <span class="fine">{t('error.request', { id: requestId })}</span>}
        </p>
      ))}
    </>
  )
}
