import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../run/format.ts'
import type { ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'

type QuestionProps = {
  turn: ShownTurn
  isBusy: boolean
  isEditing: boolean
  setEditing(isEditing: boolean): void
  onResend(text: string): void
}

const maxShown = 4_000

/** The user's question as plain text, which can be edited in place. */
export function Question({ turn, isBusy, isEditing, setEditing, onResend }: QuestionProps) {
  const [showsAll, setShowsAll] = useState(false)
  const { question } = turn
  const isCut = question.length > maxShown && !showsAll
  if (isEditing) return <Editor text={question} isBusy={isBusy} onCancel={() => setEditing(false)} onSend={onResend} />
  return (
    <div class="question">
      <h2 class="hidden">{t('chat.you')}</h2>
      <p class="pre" dir="auto">
        {isCut ? `${question.slice(0, maxShown)}…` : question}
      </p>
      {isCut && (
        <button type="button" class="plain" onClick={() => setShowsAll(true)}>
          {t('chat.showAll', { size: formatBytes(question.length) })}
        </button>
      )}
    </div>
  )
}

type EditorProps = { text: string; isBusy: boolean; onCancel(): void; onSend(text: string): void }

function Editor({ text: given, isBusy, onCancel, onSend }: EditorProps) {
  const [text, setText] = useState(given)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    const form = field.current?.form
    field.current?.focus()
    return () => {
      if (activeElement instanceof HTMLElement && form?.contains(document.activeElement)) activeElement.focus()
    }
  }, [])
  const send = (): void => {
    if (text.trim() === '' || isBusy) return
    onSend(text.trim())
  }
  return (
    <form
      class="question editor"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onCancel()
      }}
    >
      <h2 class="hidden">{t('chat.you')}</h2>
      <textarea
        aria-label={t('chat.editLabel')}
        dir="auto"
        rows={3}
        value={text}
        ref={field}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          send()
        }}
      />
      <div class="actions end">
        <button type="button" onClick={onCancel}>
          {t('dialog.cancel')}
        </button>
        <button type="submit" class="primary" disabled={text.trim() === '' || isBusy}>
          {t('chat.resend')}
        </button>
      </div>
    </form>
  )
}
