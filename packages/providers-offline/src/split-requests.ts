import { chooseTool } from './choose-tool.ts'
import { aliasesOf } from './keyed-candidates.ts'
import { readText } from './message-text.ts'
import { parametersOf } from './parameters.ts'
import { relatedStems } from './related-words.ts'
import type { ToolWords } from './tool-words.ts'

const separator = /(?:[.?!]\s+|;\s*|\n+|,?\s+(?:and then|then|and also|and|also|plus|as well as)\s+|,\s+)/giu
const questionWord =
  /^(?:what|who|where|when|which|how|why|is|are|does|do|can|could|please|tell|show|give|find|get|the)$/i

/** A longer message asks for one thing, and no message for more than this. */
const longestText = 1_500
const mostRequests = 8

/** A message in pieces that each ask for something; what only adds to a request stays with it. */
export function splitRequests(text: string, tools: readonly ToolWords[], today: Date): string[] {
  if (text.length > longestText) return [text]
  const { spans, words } = readText(text, today)
  const closed = spans.filter(({ kind }) => /^(?:quoted|url|email|name|path|date|number)$/.test(kind))
  const requests: { start: number; end: number }[] = [{ start: 0, end: text.length }]
  for (const match of text.matchAll(separator)) {
    if (requests.length === mostRequests) break
    const start = match.index + match[0].length
    if (closed.some((span) => match.index > span.start && match.index < span.end)) continue
    const current = requests.at(-1) as { start: number; end: number }
    const soFar = text.slice(current.start, match.index)
    const first = words.filter((word) => word.start >= start).slice(0, 4)
    // A request's verb stands before its values: "3 and add 4" begins none.
    const values = spans.filter(({ kind }) => kind !== 'phrase' && kind !== 'name' && kind !== 'asked')
    const value = first.findIndex(
      (word) => /^and$/i.test(word.text) || values.some((span) => word.start < span.end && span.start < word.end),
    )
    const opening = first.slice(0, value < 0 ? 4 : value)
    if (!beginsRequest(text.slice(start), opening, soFar, tools, today)) continue
    current.end = match.index + (/[.?!]/.exec(match[0])?.index === 0 ? 1 : 0)
    requests.push({ start, end: text.length })
  }
  return requests.map(({ start, end }) => text.slice(start, end).trim()).filter((request) => request !== '')
}

/** Whether words open a request of their own: they name a tool at once, and are no argument of the one before. */
function beginsRequest(
  rest: string,
  opening: readonly { text: string; stem: string }[],
  soFar: string,
  tools: readonly ToolWords[],
  today: Date,
): boolean {
  const asks = questionWord.test(opening[0]?.text ?? '')
  const named = opening.some(({ stem }) =>
    relatedStems(stem).some((word) =>
      tools.some(({ name, weights }) => name.has(word) || (asks && (weights.get(word) ?? 0) >= 0.6)),
    ),
  )
  if (!named && !asks) return false
  const previous = chooseTool(readText(soFar, today), tools)
  if (!previous) return false
  const aliases = parametersOf(previous.words.tool.inputSchema).flatMap(aliasesOf)
  const lower = rest.toLowerCase().replace(/^(?:with |the |and |a )+/, '')
  if (aliases.some((alias) => lower.startsWith(`${alias} `) || lower.startsWith(`${alias}:`))) return false
  const next = chooseTool(readText(rest, today), tools)
  if (!next) return false
  const isSameTool = next.words.tool.name === previous.words.tool.name
  return !(isSameTool && (previous.filling.missing.length > 0 || next.filling.missing.length > 0))
}
