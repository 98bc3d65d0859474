import { openDialog } from '../store/dialogs.ts'
import { t } from '../text/t.ts'
import { copyText } from '../work/copy-text.ts'
import { highlight } from './highlight.ts'

/** Prepares the elements of a block for the page: buttons for code, frames for tables, the behaviour of links. */
export function finishBlock(block: DocumentFragment | HTMLElement, { isDone }: { isDone: boolean }): void {
  for (const pre of block.querySelectorAll('pre')) frameCode(pre, isDone)
  for (const table of block.querySelectorAll('table')) frameTable(table)
  for (const link of block.querySelectorAll('a')) guardLink(link)
  // The style sheet sets the direction of paragraphs and cells.
  for (const part of block.querySelectorAll<HTMLElement>('ul, ol, table')) part.dir = 'auto'
}

export function frameCode(pre: HTMLElement, isDone: boolean): void {
  const code = pre.querySelector('code')
  const language = /language-(\S+)/.exec(code?.className ?? '')?.[1] ?? ''
  const frame = element('div', 'code')
  const head = element('div', 'code-head')
  const name = element('span', '')
  name.textContent = language
  const button = element('button', 'plain')
  button.type = 'button'
  button.textContent = t('chat.copyCode')
  button.addEventListener('click', () => void copyText(code?.textContent ?? ''))
  head.append(name, button)
  scrollable(pre, language || t('chat.code'))
  pre.replaceWith(frame)
  frame.append(head, pre)
  if (isDone && code) void highlight(code, language)
}

function frameTable(table: HTMLTableElement): void {
  const frame = element('div', 'table')
  scrollable(frame, t('chat.table'))
  table.replaceWith(frame)
  frame.append(table)
}

/** Makes content that is wider than its place scrollable by the keyboard. */
function scrollable(part: HTMLElement, name: string): void {
  part.tabIndex = 0
  part.setAttribute('role', 'group')
  part.setAttribute('aria-label', name)
}

function guardLink(link: HTMLAnchorElement): void {
  link.target = '_blank'
  link.rel = 'noopener noreferrer nofollow'
  // The middle button of a mouse opens a link, too; the right one opens a menu.
  link.onclick = link.onauxclick = (event) => {
    if (event.button > 1 || link.protocol === 'mailto:' || link.origin === location.origin) return
    event.preventDefault()
    openDialog({ type: 'link', url: link.href })
  }
}

function element<Name extends 'div' | 'span' | 'button'>(name: Name, className: string): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name)
  created.className = className
  return created
}
