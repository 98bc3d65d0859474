import { stripVTControlCharacters, styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** How a page is shown. */
export type Look = {
  /** The characters of a line. */
  columns: number
  hasColors: boolean
}

/** Formats a page of Markdown for a terminal: headings and code are highlighted, paragraphs wrapped, tables aligned. */
export function render(markdown: string, look: Look): string {
  const lines = markdown.split('\n')
  const shown: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (line.startsWith('```')) {
      const end = lines.findIndex((other, index) => index > at && other.startsWith('```'))
      const stop = end === -1 ? lines.length : end
      shown.push(...lines.slice(at + 1, stop).map((code) => painted('cyan', `    ${code}`, look)))
      at = stop + 1
    } else if (/^#{1,6} /.test(line)) {
      shown.push(painted(['bold', 'underline'], plain(line.replace(/^#+ /, '')), look))
      at++
    } else if (line.startsWith('|')) {
      const end = endOf(lines, at, (other) => other.startsWith('|'))
      shown.push(...table(lines.slice(at, end), look))
      at = end
    } else if (line.trim() === '' || /^!\[/.test(line)) {
      if (line.trim() === '') shown.push('')
      at++
    } else {
      const end = endOf(lines, at + 1, (other) => isSameParagraph(other))
      const text = lines
        .slice(at, end)
        .map((part, index) => (index === 0 ? part : part.trim()))
        .join(' ')
      shown.push(...wrap(text, look))
      at = end
    }
  }
  return `${shown.join('\n').trim()}\n`
}

function endOf(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index >= from && !belongs(line))
  return end === -1 ? lines.length : end
}

function isSameParagraph(line: string): boolean {
  return line.trim() !== '' && !/^\s*(?:[-*] |\d+\. |#{1,6} |\||```|!\[)/.test(line)
}

/** A paragraph or an item of a list, whose further lines are below its text. */
function wrap(text: string, look: Look): string[] {
  const indent = /^\s*(?:[-*] |\d+\. )?/.exec(text)?.[0] ?? ''
  const lines: string[] = []
  let line = indent.replace(/\* $/, '- ')
  let isEmpty = true
  for (const word of styled(text.slice(indent.length), look).split(/ +/)) {
    if (!isEmpty && width(line) + 1 + width(word) > look.columns) {
      lines.push(line)
      line = `${' '.repeat(indent.length)}${word}`
    } else line = isEmpty ? `${line}${word}` : `${line} ${word}`
    isEmpty = false
  }
  return [...lines, line]
}

/** In columns where they fit, else each row as a list of its cells. */
function table(rows: readonly string[], look: Look): string[] {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]+\|$/.test(row))
    .map((row) => row.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/))
    .map((row) => row.map((cell) => styled(cell.trim().replaceAll('\\|', '|'), look)))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))))
  const total = widths.reduce((sum, each) => sum + each + 2, -2)
  if (total <= look.columns) {
    return cells.map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
  return cells.flatMap((row, index) => {
    const [head = '', ...rest] = row.filter(Boolean)
    return index === 0 || head === '' ? [] : wrapCells(head, rest, look)
  })
}

function wrapCells(head: string, rest: readonly string[], look: Look): string[] {
  // The marks of the cells are replaced already.
  const uncoloured = { ...look, hasColors: false }
  return [...wrap(head, uncoloured), ...rest.flatMap((cell) => wrap(`    ${cell}`, uncoloured))]
}

/** Formats inline marks: code and bold text are highlighted, and a link becomes its text. */
function styled(text: string, look: Look): string {
  return text
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) => {
      // Each word by itself, as lines are broken between them.
      if (part.startsWith('`')) return words(part.slice(1, -1), 'cyan', look)
      if (part.startsWith('**')) return words(part.slice(2, -2), 'bold', look)
      return part
    })
    .join('')
}

function words(text: string, style: Style, look: Look): string {
  return text.replace(/\S+/g, (word) => painted(style, word, look))
}

function plain(text: string): string {
  return styled(text, { columns: 0, hasColors: false })
}

function painted(style: Style, text: string, { hasColors }: Look): string {
  return hasColors && text.trim() !== '' ? styleText(style, text, { validateStream: false }) : text
}

function width(text: string): number {
  return stripVTControlCharacters(text).length
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)))
}
