import { announce } from '../store/announce.ts'
import { t } from '../text/t.ts'

/** Copies a text, and says whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce(t('chat.copied'))
    return true
  } catch {
    const isCopied = copyBySelection(text)
    announce(isCopied ? t('chat.copied') : t('chat.copyFailed'))
    return isCopied
  }
}

/** Without HTTPS, browsers provide no clipboard to a page that another machine serves. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'hidden'
  field.setAttribute('aria-hidden', 'true')
  const focused = document.activeElement
  // In an open dialog only its own elements can be selected.
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
