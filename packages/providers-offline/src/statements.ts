import { sentencesOf } from './passages.ts'

/** A sentence, list item, or row of a passage, the heading above it, and what it follows on: a question, "These are:". */
export type Statement = { text: string; heading: string; lead: string }

/** What a passage states, in order, without its headings and questions. */
export function statementsOf(passage: string): Statement[] {
  const statements: Statement[] = []
  let heading = ''
  let lead = ''
  const add = (text: string): void => {
    const plain = text.replace(/\*\*|__|`/g, '').trim()
    if (plain.endsWith('?')) lead = plain
    else if (/[\p{L}\p{N}]/u.test(plain)) statements.push({ text: plain, heading, lead })
    if (plain.endsWith(':')) lead = plain
  }
  for (const block of passage.split(/\n\s*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim() !== '')
    const isList = lines.every((line) => item.test(line))
    if (!isList) lead = lead.endsWith('?') && !endsSentence(statements.at(-1)?.text) ? lead : ''
    if (lines.every((line) => line.trim().startsWith('|'))) tableRows(lines).forEach(add)
    else if (lines.length > 1 && lines.every((line) => /^[^:\n]{1,60}: ?/.test(line))) add(lines.join(', '))
    else {
      for (const line of unwrapped(lines)) {
        if (isHeading(line, lines.length)) {
          heading = line.replace(/^#+\s*/, '')
          lead = ''
        } else if (item.test(line)) add(line.replace(item, ''))
        else sentencesOf(line).forEach(add)
      }
    }
  }
  return statements
}

const item = /^\s*(?:[-*+•]|\d+[.)])\s+/

function endsSentence(text = ''): boolean {
  return /[.!?]$/.test(text)
}

/** A line of its own, short and without an end. */
function isHeading(line: string, lines: number): boolean {
  if (/^#{1,6}\s/.test(line)) return true
  return lines === 1 && !item.test(line) && line.length <= 60 && !/[.!?:;,]$|\d{3}|: /.test(line.trim())
}

/** Lines that were broken for their length, whole again. */
function unwrapped(lines: readonly string[]): string[] {
  const whole: string[] = []
  for (const line of lines) {
    const last = whole.at(-1)
    const isStart = item.test(line) || /^#{1,6}\s/.test(line)
    const isOpen = last !== undefined && !/[.!?:;]$/.test(last) && !/^#{1,6}\s/.test(last)
    const goesOn = isOpen && !isStart && (last.length >= 45 || /^\s*\p{Ll}/u.test(line))
    if (goesOn) whole[whole.length - 1] = `${last} ${line.trim()}`
    else whole.push(line.trim())
  }
  return whole
}

/** Each row of a Markdown table with its columns' names: `Topic: Salaries, Phone: 555-0142`. */
function tableRows(lines: readonly string[]): string[] {
  const rows = lines.map((line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  )
  const hasHead = rows[1]?.every((cell) => /^:?-+:?$/.test(cell)) ?? false
  const [head = []] = hasHead ? rows : []
  return rows.slice(hasHead ? 2 : 0).map((cells) =>
    cells
      .map((cell, index) => (head[index] ? `${head[index]}: ${cell}` : cell))
      .filter((cell) => cell !== '')
      .join(', '),
  )
}
