import { formatDuration, plainName } from '../run/format.ts'
import type { CallView } from '../run/run-view.ts'
import { Disclosure } from '../shell/disclosure.tsx'
import { t } from '../text/t.ts'
import { LongText } from './long-text.tsx'
import { shownValue } from './shown-value.ts'

/** A tool call: its input, its output and its duration. */
export function CallCard({ call }: { call: CallView; version: number }) {
  const { name, input, output, isError, durationMs, approval, isStopped = false } = call
  const isDone = durationMs !== undefined
  const pending = approval?.isOpen ? 'waiting' : isStopped ? 'stopped' : 'running'
  const state = isDone ? (isError ? 'failed' : 'done') : pending
  return (
    <Disclosure
      class="call"
      summary={
        <>
          <code>{plainName(name, 80)}</code>{' '}
          <span class={`tag ${state === 'failed' ? 'bad' : ''}`}>{t(`work.${state}`)}</span>{' '}
          {isDone && <span class="fine">{formatDuration(durationMs)}</span>}
        </>
      }
    >
      <LongText label={t('work.arguments')} text={shownValue(input)} />
      <LongText
        label={t('work.result')}
        text={isDone ? shownValue(output) : t(isStopped ? 'work.never' : 'work.noResult')}
      />
    </Disclosure>
  )
}
