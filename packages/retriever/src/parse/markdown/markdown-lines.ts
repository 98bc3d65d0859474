export function isBlank(line: string): boolean {
  return line.trim() === ''
}

export function indentOf(line: string): number {
  let indent = 0
  while (line[indent] === ' ' || line[indent] === '\t') indent++
  return indent
}

export function isCodeLine(line: string): boolean {
  return /^(?: {4}| {0,3}\t)\s*\S/.test(line)
}

export function isListItem(line: string): boolean {
  return /^[ \t]{0,40}(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line)
}

/** A line of dashes, or of colons around notes: it has no text. */
export function isRule(line: string): boolean {
  return line.length < 200 && /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|:{3,}[ \t]*)$/.test(line)
}

/** The level of a setext heading: 1 below `===`, 2 below `---`, else 0. */
export function underlineLevel(line: string): number {
  if (!/^ {0,3}[=-]/.test(line)) return 0
  const signs = line.trim()
  return /^=+$/.test(signs) ? 1 : /^-+$/.test(signs) ? 2 : 0
}

/** The fence of a code block, which may be in a list or in a quote. */
export function fenceOf(line: string): { sign: string; isQuoted: boolean } | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined
  const match = /^((?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){0,20})[ \t]*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)
  return match?.[2] === undefined ? undefined : { sign: match[2], isQuoted: match[1]?.includes('>') === true }
}

export function closesFence(line: string, sign: string): boolean {
  const signs = line.replace(/^[>\s]+/, '').trimEnd()
  return signs.length >= sign.length && signs.startsWith(sign) && /^(?:`+|~+)$/.test(signs)
}

/** Removes blank lines and trailing spaces that removed tags leave. */
export function trimLines(text: string): string {
  if (!/[ \t\n]\n/.test(text)) return text.trim()
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines
    .filter((line) => line !== '')
    .join('\n')
    .trim()
}

/** Code without the common indentation of its lines, which its place in a list or a component caused. */
export function dedent(code: string): string {
  const lines = code
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n')
  let indent = lines.reduce((least, line) => (isBlank(line) ? least : Math.min(least, indentOf(line))), 100)
  while (indent > 0 && !lines.every((line) => isBlank(line) || line.slice(0, indent) === lines[0]?.slice(0, indent)))
    indent--
  return lines.map((line) => line.slice(indent)).join('\n')
}
