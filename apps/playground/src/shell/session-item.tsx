import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SessionBody } from '../api/types.ts'
import { plainName } from '../run/format.ts'
import { newChat, openSession, sessionId } from '../store/chat.ts'
import { isMenuOpen, openDialog } from '../store/dialogs.ts'
import { deleteSession, renameSession, reportProblem } from '../store/sessions.ts'
import { t } from '../text/t.ts'
import { Icon } from './icons.tsx'

/** A conversation of the list: opened, renamed in place, or deleted after a question. */
export function SessionItem({ session }: { session: SessionBody }) {
  const [isRenaming, setRenaming] = useState(false)
  const renameButton = useRef<HTMLButtonElement>(null)
  const wasRenaming = useRef(false)
  useLayoutEffect(() => {
    if (wasRenaming.current && !isRenaming) renameButton.current?.focus()
    wasRenaming.current = isRenaming
  }, [isRenaming])
  const title = plainName(session.title) || t('sessions.untitled')
  const remove = (): void => {
    openDialog({
      type: 'confirm',
      title: t('sessions.deleteTitle'),
      text: t('sessions.deleteText', { title }),
      action: t('sessions.delete'),
      onConfirm: async () => {
        await deleteSession(session)
        if (session.session_id === sessionId.value) newChat()
      },
    })
  }
  if (isRenaming) return <RenameForm session={session} onEnd={() => setRenaming(false)} />
  const isOpen = session.session_id === sessionId.value
  return (
    <li class={isOpen ? 'session current' : 'session'}>
      <button
        type="button"
        class="session-open"
        aria-current={isOpen ? 'page' : undefined}
        onClick={() => {
          isMenuOpen.value = false
          void openSession(session.session_id)
        }}
      >
        <span dir="auto">{title}</span>
        {session.active_run_id && <span class="dot" role="img" aria-label={t('sessions.running')} />}
      </button>
      <button
        type="button"
        ref={renameButton}
        class="icon-button"
        aria-label={t('sessions.renameOf', { title })}
        onClick={() => setRenaming(true)}
      >
        <Icon name="edit" />
      </button>
      <button type="button" class="icon-button" aria-label={t('sessions.deleteOf', { title })} onClick={remove}>
        <Icon name="trash" />
      </button>
    </li>
  )
}

function RenameForm({ session, onEnd }: { session: SessionBody; onEnd(): void }) {
  const [title, setTitle] = useState(session.title)
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the server takes no control characters
    const plain = title.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim()
    if (plain !== '' && plain !== session.title) await renameSession(session, plain).catch(reportProblem)
    onEnd()
  }
  return (
    <li class="session">
      <form
        class="rename"
        onSubmit={(event) => void save(event)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          onEnd()
        }}
      >
        <input
          aria-label={t('sessions.title.label')}
          value={title}
          maxLength={200}
          ref={focusField}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <button type="submit" class="plain">
          {t('dialog.save')}
        </button>
        <button type="button" class="plain" onClick={onEnd}>
          {t('dialog.cancel')}
        </button>
      </form>
    </li>
  )
}

/** One function, so that it is called once: the form is rendered again with each new list. */
function focusField(field: HTMLInputElement | null): void {
  field?.focus()
}
