import { sanitize } from './sanitize.ts'

/** Longer code stays as it is: highlighting it would block the page. */
const maxCode = 40_000

/** Colours finished code of a known language, by a script that is loaded with the first of it. */
export async function highlight(code: HTMLElement, language: string): Promise<void> {
  const text = code.textContent ?? ''
  if (language === '' || text.length > maxCode) return
  const { highlighted } = await import('./languages.ts')
  // Not while an answer is drawn.
  await new Promise((idle) => requestIdleCallback(idle, { timeout: 2_000 }))
  if (code.textContent !== text) return
  const html = highlighted(text, language.toLowerCase())
  if (html !== undefined) code.replaceChildren(sanitize(html))
}
