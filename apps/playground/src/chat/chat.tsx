import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { drawn } from '../markdown/markdown.tsx'
import { focusMessage, isFocusLost } from '../shell/focus.ts'
import { Icon } from '../shell/icons.tsx'
import { ProblemCard } from '../shell/problem-card.tsx'
import { historyProblem, isLoading, loadTurns, previous, running, sessionId, turns } from '../store/chat.ts'
import { t } from '../text/t.ts'
import { Composer } from './composer.tsx'
import { TurnView } from './turn-view.tsx'
import { Welcome } from './welcome.tsx'

/** How long what belongs to the end of an answer may take to appear, in milliseconds. */
const endMs = 1_000

/** The conversation, and the field for the next question. */
export function Chat() {
  const log = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const follows = useRef(true)
  // Only a new answer scrolls the view, not parts that the user opens.
  const growsUntil = useRef(0)
  const isRunning = running.value !== undefined
  useLayoutEffect(() => {
    growsUntil.current = isRunning ? Number.POSITIVE_INFINITY : performance.now() + endMs
  }, [isRunning])
  const toEnd = (): void => {
    const { current } = log
    if (current) current.scrollTop = current.scrollHeight
  }
  // A new question, or another conversation, is shown from its end.
  useLayoutEffect(() => {
    follows.current = true
    toEnd()
  }, [turns.value.at(-1)?.id, sessionId.value])
  useEffect(() => {
    const { current } = log
    const content = current?.firstElementChild
    if (!current || !content) return undefined
    const observer = new ResizeObserver(() => {
      if (follows.current && performance.now() < Math.max(growsUntil.current, drawn.at + endMs)) toEnd()
    })
    observer.observe(content)
    return () => observer.disconnect()
  }, [])
  const scrolled = (): void => {
    const { current } = log
    if (!current) return
    const isNear = current.scrollHeight - current.scrollTop - current.clientHeight < 48
    follows.current = isNear
    setAtEnd(isNear)
  }
  /** Shows them above what the reader sees. */
  const showEarlier = async (): Promise<void> => {
    const { current } = log
    const { value: id } = sessionId
    const below = current ? current.scrollHeight - current.scrollTop : 0
    await loadTurns(previous.value)
    if (!current || sessionId.value !== id || historyProblem.value) return
    current.scrollTop = current.scrollHeight - below
    // The button goes with the first question.
    if (isFocusLost()) current.focus({ preventScroll: true })
  }
  const isEmpty = turns.value.length === 0 && !isLoading.value && !historyProblem.value
  return (
    <main class="chat">
      <div class="log" ref={log} onScroll={scrolled} tabIndex={0} role="log" aria-live="off" aria-label={t('chat.log')}>
        <div class="column">
          {previous.value !== undefined && (
            <button type="button" class="plain" onClick={() => void showEarlier()}>
              {t('chat.earlier')}
            </button>
          )}
          {historyProblem.value && (
            <ProblemCard problem={historyProblem.value}>
              <button
                type="button"
                onClick={() => {
                  focusMessage()
                  void loadTurns()
                }}
              >
                {t('app.retry')}
              </button>
            </ProblemCard>
          )}
          {isLoading.value && turns.value.length === 0 && <p class="fine">{t('app.loading')}</p>}
          {isEmpty && <Welcome />}
          {turns.value.map((turn) => (
            <TurnView key={turn.id} turn={turn} isBusy={isRunning} />
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          class="to-end"
          aria-label={t('chat.latest')}
          onClick={() => {
            follows.current = true
            toEnd()
          }}
        >
          <Icon name="down" />
        </button>
      )}
      <Composer />
    </main>
  )
}
