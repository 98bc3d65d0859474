import { useLayoutEffect, useRef } from 'preact/hooks'
import { newChat } from '../store/chat.ts'
import { isMenuOpen } from '../store/dialogs.ts'
import { info, signOut } from '../store/server.ts'
import { loadMoreSessions, loadSessions, nextSession, search, sessions, sessionsProblem } from '../store/sessions.ts'
import { t } from '../text/t.ts'
import { focusMessage } from './focus.ts'
import { Icon } from './icons.tsx'
import { Preferences } from './preferences.tsx'
import { ProblemCard } from './problem-card.tsx'
import { SessionItem } from './session-item.tsx'
import { UserField } from './user-field.tsx'

let timer: ReturnType<typeof setTimeout> | undefined

function searchFor(text: string): void {
  search.value = text
  clearTimeout(timer)
  timer = setTimeout(() => void loadSessions(), 200)
}

/** The conversations, and the settings of the page. On a narrow screen it is above the page. */
export function Sidebar() {
  const isEmpty = sessions.value.length === 0
  const aside = useRef<HTMLElement>(null)
  const closeButton = useRef<HTMLButtonElement>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const firstNew = useRef<number>()
  useLayoutEffect(() => {
    const { current } = firstNew
    if (current === undefined || sessions.value.length <= current) return
    // The button that shows more may have been removed.
    aside.current?.querySelectorAll<HTMLElement>('.session-open')[current]?.focus()
    firstNew.current = undefined
  }, [sessions.value.length])
  useLayoutEffect(() => {
    if (isMenuOpen.value) closeButton.current?.focus()
    else if (aside.current?.contains(document.activeElement)) document.getElementById('menu')?.focus()
  }, [isMenuOpen.value])
  return (
    <aside ref={aside} class={isMenuOpen.value ? 'sidebar open' : 'sidebar'} aria-label={t('sessions.title')}>
      <div class="sidebar-head">
        <button
          type="button"
          class="primary grow"
          onClick={() => {
            isMenuOpen.value = false
            newChat()
            focusMessage()
          }}
        >
          <Icon name="plus" />
          {t('sessions.new')}
        </button>
        <button
          type="button"
          ref={closeButton}
          class="icon-button narrow-only"
          aria-label={t('menu.close')}
          onClick={() => {
            isMenuOpen.value = false
          }}
        >
          <Icon name="close" />
        </button>
      </div>
      <input
        type="search"
        ref={searchField}
        aria-label={t('sessions.search')}
        placeholder={t('sessions.search')}
        value={search.value}
        maxLength={200}
        onInput={(event) => searchFor(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || search.value === '') return
          event.preventDefault()
          searchFor('')
        }}
      />
      <nav aria-label={t('sessions.title')}>
        {sessionsProblem.value && (
          <ProblemCard problem={sessionsProblem.value}>
            <button
              type="button"
              onClick={() => {
                // The button goes with the problem.
                searchField.current?.focus()
                void loadSessions()
              }}
            >
              {t('app.retry')}
            </button>
          </ProblemCard>
        )}
        {isEmpty && !sessionsProblem.value && (
          <p class="fine">{t(search.value.trim() === '' ? 'sessions.none' : 'sessions.notFound')}</p>
        )}
        {!isEmpty && (
          <ul class="sessions">
            {sessions.value.map((session) => (
              <SessionItem key={session.session_id} session={session} />
            ))}
          </ul>
        )}
        {nextSession.value !== undefined && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              firstNew.current = sessions.value.length
              void loadMoreSessions()
            }}
          >
            {t('sessions.more')}
          </button>
        )}
      </nav>
      <div class="sidebar-foot">
        {info.value?.caller.any_user && <UserField />}
        <Preferences />
        {info.value?.auth && (
          <button type="button" class="plain" onClick={signOut}>
            {t('login.out')}
          </button>
        )}
      </div>
    </aside>
  )
}
