/** Arithmetic in words, in the order in which it is put into signs. */
const inWords: [RegExp, string][] = [
  [/(\d)\s*(?:%|percent)\s+of\s+/gi, '$1 / 100 * '],
  [/\s*\b(?:multiplied by|times)\s+/gi, ' * '],
  [/\s*\b(?:divided by|over)\s+/gi, ' / '],
  [/\s*\bplus\s+/gi, ' + '],
  [/(\d\)?)\s*\bminus\s+/gi, '$1 - '],
  [/\s*\b(?:to the power of|raised to(?: the power of)?)\s+/gi, ' ^ '],
  [/(\d)\s+squared\b/gi, '$1 ^ 2'],
  [/\b(?:the )?(?:square root|sqrt) (?:of )?(\d[\d.,]*\d|\d)/gi, 'sqrt($1)'],
  [/(\d)\s*[x×]\s*(?=[\d(])/gi, '$1 * '],
  [/(\d)\s*÷\s*(?=[\d(])/g, '$1 / '],
]

const functions = '(?:sqrt|sin|cos|tan|log|ln|abs|exp|round|floor|ceil|min|max|pow)\\('
const opening = `(?:${functions}|[-+(]\\s?){0,8}`
const number = '\\d+(?:[.,]\\d+)*'
// No two parts of it can match the same characters, so that it takes no more steps than there are.
const shape = new RegExp(`${opening}${number}\\)*(?:\\s?[-+*/^%,]{1,2}\\s?${opening}${number}\\)*)*`, 'gi')

/** The first arithmetic expression in a text, with signs for words; the place is that of its numbers in the text. */
export function findExpression(text: string): { start: number; end: number; expression: string } | undefined {
  const signs = inWords.reduce((current, [pattern, sign]) => current.replace(pattern, sign), text.replaceAll('−', '-'))
  for (const match of signs.matchAll(shape)) {
    const expression = match[0].replace(/[.,]+$/, '').trim()
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(expression)
    if (isDate || !/\d\)?\s*[-+*/^%]\s*[\d(a-z-]|[a-z]\(/i.test(expression)) continue
    const first = /\d[\d.,]*/.exec(expression)?.[0] ?? ''
    const last = /\d[\d.,]*(?=\D*$)/.exec(expression)?.[0] ?? ''
    const start = text.includes(expression) ? text.indexOf(expression) : text.indexOf(first)
    const end = text.includes(expression)
      ? start + expression.length
      : Math.max(start, text.lastIndexOf(last)) + last.length
    return { start, end, expression }
  }
  return undefined
}
