import { firstChars } from './first-chars.ts'
import type { Message } from './message.ts'

/** The text of a message of the user or the model, for titles and for searching; empty for others. */
export function plainText(message: Message): string {
  if (message.role === 'tool' || message.role === 'system') return ''
  const { content } = message
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The title of a session that has none: the first 60 characters of its first question, in one line. */
export function cutTitle(question: string): string {
  const line = firstChars(question.trimStart(), 1_000).replace(/\s+/g, ' ').trim()
  return Array.from(line).slice(0, 60).join('')
}

/** A text as searches compare it: of any case, also the Turkish one, and in either form of Unicode. */
export function foldCase(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  // In upper case first: `ı` and `ß` have no other form in lower case. `İ` becomes an `i` with a second dot.
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase()
  return folded.replaceAll('i\u0307', 'i').replaceAll('ς', 'σ')
}

/** What user and model wrote in a turn, in order: calls and results of tools are left out. */
export function writtenIn(messages: readonly Message[]): { role: 'user' | 'assistant'; text: string }[] {
  return messages.flatMap((message) => {
    const text = plainText(message)
    return text === '' || message.role === 'tool' || message.role === 'system' ? [] : [{ role: message.role, text }]
  })
}
