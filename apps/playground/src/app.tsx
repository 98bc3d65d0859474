import { useEffect } from 'preact/hooks'
import { sessionToken } from './api/session-token.ts'
import { Chat } from './chat/chat.tsx'
import { Dialogs } from './dialogs.tsx'
import { DropZone } from './files/drop-zone.tsx'
import { warmUp } from './markdown/warm-up.ts'
import { focusMessage } from './shell/focus.ts'
import { Header } from './shell/header.tsx'
import { Login } from './shell/login.tsx'
import { ProblemCard } from './shell/problem-card.tsx'
import { Sidebar } from './shell/sidebar.tsx'
import { announcement } from './store/announce.ts'
import { openAddress, running, showNewTurns, stop } from './store/chat.ts'
import { dialogs, isMenuOpen, openDialog } from './store/dialogs.ts'
import { loadServer, server } from './store/server.ts'
import { loadSessions, startList } from './store/sessions.ts'
import { t } from './text/t.ts'

export function App() {
  const state = server.value
  useEffect(() => void loadServer(), [])
  // The server has refused the token of a request.
  const isSignedOut = state.type === 'ready' && state.info.auth && sessionToken.value === ''
  return (
    <>
      <div class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
      {state.type === 'loading' && (
        <main class="login">
          <p class="fine">{t('app.loading')}</p>
        </main>
      )}
      {state.type === 'failed' && (
        <main class="login">
          <h1>{t('app.failed')}</h1>
          <ProblemCard problem={state.problem}>
            <button type="button" onClick={() => void loadServer()}>
              {t('app.retry')}
            </button>
          </ProblemCard>
        </main>
      )}
      {(state.type === 'login' || isSignedOut) && (
        <Login name={state.type === 'login' ? state.name : state.info.name} />
      )}
      {state.type === 'ready' && !isSignedOut && <Ready />}
    </>
  )
}

function Ready() {
  useEffect(() => {
    void warmUp()
    openAddress()
    startList()
    const left = new AbortController()
    const { signal } = left
    addEventListener('popstate', openAddress, { signal })
    addEventListener('keydown', ofInputMethod, { signal, capture: true })
    addEventListener('keydown', pressed, { signal })
    addEventListener('visibilitychange', returned, { signal })
    addEventListener('online', returned, { signal })
    // Another window beside this one hides nothing.
    addEventListener('focus', returned, { signal })
    return () => left.abort()
  }, [])
  return (
    <DropZone>
      <a class="skip" href="#message" onClick={skip}>
        {t('app.skip')}
      </a>
      <div class="page">
        <Sidebar />
        <div class="main">
          <Header />
          <Chat />
        </div>
      </div>
      <Dialogs />
    </DropZone>
  )
}

/** The reader comes back from elsewhere, perhaps another tab of this page, or the connection is there again. */
function returned(): void {
  if (document.hidden) return
  void loadSessions()
  void showNewTurns()
}

/** A key that chooses or ends a character, such as Enter, belongs to the input method. */
function ofInputMethod(event: KeyboardEvent): void {
  // Safari sends the last one after the end, with this code.
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation()
}

function skip(event: Event): void {
  event.preventDefault()
  focusMessage()
}

/** Esc closes the open dialog, else stops the answer; Ctrl+K and ⌘K open the commands. */
function pressed(event: KeyboardEvent): void {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault()
    if (!dialogs.value.some(({ type }) => type === 'palette')) openDialog({ type: 'palette' })
    return
  }
  // A dialog closes by itself.
  if (event.key !== 'Escape' || event.defaultPrevented || dialogs.value.length > 0) return
  if (isMenuOpen.value) {
    isMenuOpen.value = false
    return
  }
  if (running.value) void stop(running.value)
}
