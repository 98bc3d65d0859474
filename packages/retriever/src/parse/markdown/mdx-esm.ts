import { createSignFinder, type SignFinder } from '../../text/sign-finder.ts'

/** The budget of a text for failed attempts, in characters. */
export type Budget = { left: number }

/**
 * Whether a line starts an `import` or `export` of MDX, and is not a sentence with such a word.
 * @param lineBelow the line below it: after `import React,`, a brace or a star shows that this is code
 */
export function opensEsm(line: string, lineBelow: () => string): boolean {
  if (!/^(?:import|export)\b/.test(line)) return false
  if (importStart.test(line) || exportStart.test(line)) return true
  return /^import\s+[\w$]+\s*,\s*$/.test(line) && /^\s*[{*]/.test(lineBelow())
}

const importStart = /^import\s*(?:["'{*]|type\s+[\w{*]|[\w$]+\s*(?:,\s*[{*]|from\s*(?:["']|$)|$))/

/** What may follow a name in code: "export default settings of the device" is a sentence. */
const afterName = String.raw`\s*(?:$|[=;,(<{[?&|+\`]|:\s|\/[/*])`

const exportStart = new RegExp(
  String.raw`^export\s*(?:[{*]` +
    String.raw`|default\s*(?:$|[^\w$\s]|(?:function|class|async|new)\b|[\w$]+(?:\.[\w$]+)*${afterName})` +
    String.raw`|(?:const|let|var)\s+(?:[{[]|[\w$]+${afterName})` +
    String.raw`|(?:async\s+)?function\b\s*(?:\*\s*)?(?:\(|[\w$]+${afterName})` +
    String.raw`|(?:class|type|interface|enum)\s+[\w$]+(?:${afterName}|\s+(?:extends|implements)\b)` +
    String.raw`|(?:abstract|declare)\b)`,
)

/** The end of the `import` or `export` at `start`, after its last line. Brackets are matched, strings are skipped. */
export function endOfEsm(source: string, start: number, budget: Budget, { endBehind }: SignFinder): number {
  const last = Math.min(source.length, start + Math.max(0, budget.left))
  /** Per quote character, the position up to which its closing quote is known to be missing. */
  const unclosed = new Map<string, number>()
  let depth = 0
  for (let at = start; at < last; at++) {
    switch (source[at]) {
      case '{':
      case '(':
      case '[':
        depth++
        break
      case '}':
      case ')':
      case ']':
        depth--
        break
      case '"':
      case "'":
      case '`':
        at = endOfString(at)
        break
      case '/':
        at = endOfComment(at)
        break
      case '\n':
        if (depth <= 0 && isOver(source, at + 1)) return at + 1
    }
  }
  if (last === source.length && depth <= 0) return last
  budget.left -= last - start
  // Invalid code: what follows the next blank line is text again.
  const blank = source.indexOf('\n\n', start)
  return blank < 0 ? source.length : blank + 1

  function endOfString(at: number): number {
    const quote = source[at] ?? ''
    if (at < (unclosed.get(quote) ?? 0)) return at
    let index = at + 1
    for (; index < last; index++) {
      if (source[index] === '\\') index++
      else if (source[index] === quote) return index
      // An apostrophe in the text of JSX.
      else if (source[index] === '\n' && quote !== '`') break
    }
    unclosed.set(quote, index)
    return at
  }

  function endOfComment(at: number): number {
    const isLine = source[at + 1] === '/' && source[at - 1] !== ':'
    if (!isLine && source[at + 1] !== '*') return at
    const behind = isLine ? endBehind('\n', at) : endBehind('*/', at + 2)
    const end = behind === undefined ? at : behind - (isLine ? 2 : 1)
    return end <= at || end >= last ? at : end
  }
}

/** Whether the line that starts here is not a continuation of the lines before. */
function isOver(source: string, at: number): boolean {
  return /^[ \t]*(?:$|\n|[#<]|import\b|export\b|`{3})/.test(source.slice(at, at + 200))
}

/** The title and description that a page exports as `metadata` or `meta`. */
export function readMetadata(source: string): { title?: string; notes: string[] } {
  const match = /^export\s+(?:const|let|var)\s+(?:metadata|meta|frontmatter|frontMatter)\b[^={]{0,200}=\s*\{/m.exec(
    source,
  )
  if (match === null) return { notes: [] }
  const object = source.slice(
    match.index,
    Math.min(endOfEsm(source, match.index, { left: 10_000 }, createSignFinder(source)), match.index + 10_000),
  )
  const title = propertyOf(object, 'title')
  const description = propertyOf(object, 'description')
  return { ...(title !== undefined && { title }), notes: description === undefined ? [] : [description] }
}

function propertyOf(object: string, key: string): string | undefined {
  const match = new RegExp(`\\b${key}["']?\\s*:\\s*(?:"([^"\\n]*)"|'([^'\\n]*)'|\`([^\`$]*)\`)`).exec(object)
  const value = match?.slice(1).find((group) => group !== undefined)
  return value?.replace(/\s+/g, ' ').trim() || undefined
}
