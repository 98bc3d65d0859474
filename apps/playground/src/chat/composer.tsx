import { useLayoutEffect, useRef } from 'preact/hooks'
import { Uploads } from '../files/uploads.tsx'
import { plainName } from '../run/format.ts'
import { focusMessage, isFocusLost } from '../shell/focus.ts'
import { Icon } from '../shell/icons.tsx'
import { ask, draft, isLoading, running, sessionId, stop } from '../store/chat.ts'
import { uploadFiles } from '../store/files.ts'
import { info } from '../store/server.ts'
import { t } from '../text/t.ts'

/** The longest message that the server takes is 8 MB; a person writes less. */
const maxMessage = 1_000_000

/** The field for a question. Enter sends, Shift+Enter begins a line, and while an answer comes its button stops it. */
export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null)
  const { name = '', caller } = info.value ?? {}
  const isBusy = running.value !== undefined
  useLayoutEffect(() => {
    const { current } = field
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${Math.min(current.scrollHeight, 220)}px`
  }, [draft.value])
  useLayoutEffect(() => {
    if (!hasTouch()) field.current?.focus()
  }, [sessionId.value])
  useLayoutEffect(() => {
    // The stop button has become the send button, which is disabled without a text, so the focus was lost.
    if (!isBusy && isFocusLost() && !hasTouch()) focusMessage()
  }, [isBusy])
  const send = (): void => {
    const text = draft.value.trim()
    // The turns that are being read would take the place of a question that is sent meanwhile.
    if (text === '' || isBusy || isLoading.value) return
    draft.value = ''
    void ask({ text })
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div class="column">
        <Uploads />
        <div class="field-row">
          {caller?.upload && <AttachButton />}
          <textarea
            id="message"
            ref={field}
            rows={1}
            dir="auto"
            aria-label={t('composer.label')}
            aria-describedby="composer-hint"
            placeholder={t('composer.placeholder', { name: plainName(name, 40) })}
            maxLength={maxMessage}
            value={draft.value}
            onInput={(event) => {
              draft.value = event.currentTarget.value
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey) return
              event.preventDefault()
              send()
            }}
          />
          {isBusy ? (
            <button
              type="button"
              class="round primary"
              aria-label={t('chat.stop')}
              title={`${t('chat.stop')} (Esc)`}
              onClick={() => running.value && void stop(running.value)}
            >
              <Icon name="stop" />
            </button>
          ) : (
            <button
              type="submit"
              class="round primary"
              aria-label={t('composer.send')}
              disabled={draft.value.trim() === '' || isLoading.value}
            >
              <Icon name="send" />
            </button>
          )}
        </div>
        <p id="composer-hint" class="fine hint">
          {t('composer.hint')}
        </p>
      </div>
    </form>
  )
}

/** Whether it is a phone, whose keyboard would cover the page. A computer may have no mouse. */
function hasTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches
}

function AttachButton() {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="round" aria-label={t('composer.attach')} onClick={() => input.current?.click()}>
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('composer.attach')}
        onChange={(event) => {
          void uploadFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
