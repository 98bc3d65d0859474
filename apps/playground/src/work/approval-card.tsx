import { useState } from 'preact/hooks'
import { type Problem, problemOf } from '../api/problem.ts'
import { plainName } from '../run/format.ts'
import type { ApprovalView } from '../run/run-view.ts'
import { Field } from '../shell/field.tsx'
import { focusMessage } from '../shell/focus.ts'
import { nameApart } from '../shell/name-apart.ts'
import { ProblemCard } from '../shell/problem-card.tsx'
import { type DecisionBody, decide } from '../store/decide.ts'
import { info } from '../store/server.ts'
import type { ShownTurn } from '../store/turn.ts'
import { language, t } from '../text/t.ts'
import { LongText } from './long-text.tsx'
import { shownValue } from './shown-value.ts'

const titles = {
  approval: 'approval.title',
  'unknown-outcome': 'approval.unknownTitle',
  'client-tool': 'approval.clientTitle',
} as const
const texts = {
  approval: 'approval.text',
  'unknown-outcome': 'approval.unknownText',
  'client-tool': 'approval.clientText',
} as const

/** A call that waits for a person: to be allowed or denied, or, if its outcome is unknown, for its result. */
export function ApprovalCard({ turn, approval }: { turn: ShownTurn; approval: ApprovalView }) {
  const [reason, setReason] = useState('')
  const [result, setResult] = useState('')
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const { approvalId, kind, startedAt, path } = approval
  const name = plainName(approval.name, 80)
  const send = async (decision: DecisionBody): Promise<void> => {
    setSending(true)
    setProblem(undefined)
    try {
      await decide(turn, approvalId, decision)
      focusMessage()
    } catch (error) {
      setProblem(problemOf(error))
    }
    setSending(false)
  }
  const deny = (): DecisionBody => ({ approve: false, ...(reason.trim() !== '' && { reason: reason.trim() }) })
  const { approve: mayDecide, resume: keepsRuns } = info.value?.caller ?? {}
  return (
    <section key={language.value} class="card approval" ref={nameApart} aria-label={t(titles[kind], { name })}>
      <h3>{t(titles[kind], { name })}</h3>
      <p>{t(texts[kind])}</p>
      {path.length > 1 && <p class="fine">{t('approval.member', { path: plainName(path.join(' › '), 200) })}</p>}
      {startedAt && (
        <p class="fine">{t('approval.started', { time: new Date(startedAt).toLocaleString(language.value) })}</p>
      )}
      <LongText label={t('work.arguments')} text={shownValue(approval.input)} />
      {problem && <ProblemCard problem={problem} />}
      {!mayDecide && <p class="fine">{t(keepsRuns ? 'approval.notAllowed' : 'approval.notStored')}</p>}
      {mayDecide && problem?.code !== 'session-conflict' && (
        <>
          {kind !== 'approval' && (
            <Field label={t('approval.result')}>
              {(id) => (
                <textarea id={id} rows={2} value={result} onInput={(event) => setResult(event.currentTarget.value)} />
              )}
            </Field>
          )}
          <Field label={t('approval.reason')}>
            {(id) => (
              <input
                id={id}
                value={reason}
                maxLength={1_000}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            )}
          </Field>
          <div class="actions">
            {kind !== 'client-tool' && (
              <button type="button" class="primary" disabled={isSending} onClick={() => void send({ approve: true })}>
                {t(kind === 'approval' ? 'approval.allow' : 'approval.again')}
              </button>
            )}
            {kind !== 'approval' && (
              <button
                type="button"
                disabled={isSending || result.trim() === ''}
                onClick={() => void send({ result: parsedResult(result) })}
              >
                {t('approval.giveResult')}
              </button>
            )}
            <button type="button" disabled={isSending} onClick={() => void send(deny())}>
              {t(kind === 'unknown-outcome' ? 'approval.unknown' : 'approval.deny')}
            </button>
          </div>
        </>
      )}
    </section>
  )
}

/** JSON where it is JSON, else the text. */
function parsedResult(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
