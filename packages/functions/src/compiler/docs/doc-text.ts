/**
 * A comment's text as a sentence for the model: wrapped lines joined, paragraphs, lists and code kept, links as the words
 * that they show.
 */
export function cleanText(text: string | undefined): string {
  const plain = (text ?? '')
    .replaceAll('\r\n', '\n')
    .replace(/\{@link(?:code|plain)?\s+([^}]*)\}/g, (_link, target) => linkWords(target))
  let isCode = false
  let result = ''
  let previous = ''
  for (const line of plain.split('\n').map((each) => each.trimEnd())) {
    const isFence = line.trimStart().startsWith('```')
    const standsAlone = isCode || isFence || line.trim() === '' || beginsItem(line)
    const followsText = previous.trim() !== '' && !previous.trimStart().startsWith('```')
    result += result === '' ? line : standsAlone || !followsText ? `\n${line}` : ` ${line.trim()}`
    if (isFence) isCode = !isCode
    previous = line
  }
  return result.replace(/\n{3,}/g, '\n\n').trim()
}

/** Whether a line begins an item of a list, a row of a table, a quotation or a heading. */
function beginsItem(line: string): boolean {
  return /^\s*(?:(?:[-*+>]|\d+[.)]|#+)\s|\|)/.test(line)
}

/** `Price`, `Price|what it costs` and `https://example.com what it costs`. */
function linkWords(target: string): string {
  const [, address = '', label] = /^([^\s|]+)(?:\s*\|\s*|\s+)?(.*)$/s.exec(target.trim()) ?? []
  return label || address
}
