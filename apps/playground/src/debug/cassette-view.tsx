import type { RecordedCall } from '@agentkit/testing'
import { plainName } from '../run/format.ts'
import { Disclosure } from '../shell/disclosure.tsx'
import { t } from '../text/t.ts'
import { LongText } from '../work/long-text.tsx'
import { shownValue } from '../work/shown-value.ts'

const maxCalls = 500

/** The model calls of a cassette, each with its request and its answer. */
export function CassetteView({ calls }: { calls: readonly RecordedCall[] }) {
  return (
    <section aria-label={t('debug.calls')}>
      <h3>{t('debug.calls')}</h3>
      {calls.slice(0, maxCalls).map((recorded) => (
        <Disclosure
          key={recorded.call}
          class="call"
          summary={
            <>
              {t('debug.call', { call: String(recorded.call), model: plainName(recorded.model, 80) })}{' '}
              {(recorded.error ?? recorded.thrown) && <span class="tag bad">{t('work.failed')}</span>}
            </>
          }
        >
          <LongText label={t('debug.request')} text={shownValue(recorded.request)} />
          <LongText
            label={t('debug.events')}
            text={shownValue([...recorded.events.flat(), ...(recorded.error ? [recorded.error] : [])])}
          />
        </Disclosure>
      ))}
    </section>
  )
}
