import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { closeDialog, type Dialog as OpenDialog } from '../store/dialogs.ts'
import { t } from '../text/t.ts'
import { focusMessage, isFocusLost } from './focus.ts'
import { Icon } from './icons.tsx'

type DialogProps = { type: OpenDialog['type']; title: string; isWide?: boolean; children: ComponentChildren }

/** A dialog above the page. The browser keeps the focus in it, closes it by Esc, and returns the focus. */
export function Dialog({ type, title, isWide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key is pressed.
  useLayoutEffect(() => {
    const { activeElement } = document
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      // Elements below an open dialog cannot have the focus.
      dialog?.close()
      if (activeElement instanceof HTMLElement && activeElement.isConnected) activeElement.focus()
      if (!isFocusLost() && !dialog?.contains(document.activeElement)) return
      const below = [...document.querySelectorAll('dialog[open]')].at(-1)
      if (below) below.querySelector('button')?.focus()
      else focusMessage()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={isWide ? 'wide' : ''}
      aria-labelledby={id}
      onClose={({ currentTarget }) => {
        // The event comes later than the closing: the next dialog of this type may be open by then.
        if (currentTarget.isConnected) closeDialog(type)
      }}
      onClick={(event) => {
        if (event.target === ref.current) ref.current?.close()
      }}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon-button" aria-label={t('dialog.close')} onClick={() => ref.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
