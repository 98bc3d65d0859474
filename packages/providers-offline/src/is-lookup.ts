import type { ToolSpec } from '@agentkit/core'
import type { Candidate } from './candidate.ts'
import type { Filling } from './fill-arguments.ts'
import { wantsToKnow } from './message-kind.ts'
import type { MessageText } from './message-text.ts'
import { areRelated } from './related-words.ts'
import { stem, stemsOf } from './tokens.ts'
import { addsNumbers, isCommonVerb, type ToolWords } from './tool-words.ts'

/**
 * "Where is ORD-778?", "Show me toys": a question about a value that by its shape is this tool's. What changes
 * something is never called for a value alone.
 */
export function isLookup({ text, words: said }: MessageText, { chosen, missing }: Filling, tool: ToolSpec): boolean {
  const required = chosen.filter(({ parameter }) => parameter.required)
  if (missing.length > 0 || changes(tool)) return false
  // "How long is the walk from Camden to Soho?": every word round the values says that they are this tool's.
  const isWhole = required.length > 1 && required.every(({ isSpecific }) => isSpecific)
  if (isWhole && (wantsToKnow(text) || /^\s*i(?:['’]d| would)? (?:want|need|like)\b/i.test(text))) return true
  const isPerson = (one: Candidate): boolean =>
    (one.parameter.role === 'person' || one.parameter.name === 'name') &&
    one.kind === 'name' &&
    /\s/.test(String(one.value)) &&
    /^\s*who\b/i.test(text)
  const telling = required.filter((one) => isPerson(one) || tellsParameter(one))
  if (telling.length === 0) return false
  const isBare = said.every(({ start, end }) => telling.some((one) => one.start <= start && end <= one.end))
  return isBare || wantsToKnow(text)
}

const changingVerbs = new Set(
  stemsOf(
    'make create add new set update change edit write run execute save cancel delete remove send pay transfer buy open close start stop block approve reject submit schedule post publish upload move rename turn switch toggle lock assign invite',
  ),
)

/** Whether a tool does something rather than tell something, as far as its name says. */
export function changes(tool: ToolSpec): boolean {
  return changingVerbs.has(stemsOf(tool.name)[0] ?? '') && !addsNumbers(tool)
}

const telling = /^(?:show|list|find|get|give|look|see|search|fetch|what|which|who|where|when|how)$/i
const destroying = /^(?:delete|remove|cancel|erase)$/i
const courtesy =
  /^\s*(?:(?:please|can you|could you|would you|i want to|i['’]d like to|i need to|let['’]s|now|then|and|also)[\s,]+)*/i

/** "Delete task 7" is not for a tool that lists tasks, nor "Show the tasks" for one that creates them. */
export function contradicts({ text }: MessageText, { tool, all }: ToolWords): boolean {
  const [first = ''] = /^\p{L}+/u.exec(text.replace(courtesy, '')) ?? []
  const verb = stem(first)
  if ([...all].some((word) => areRelated(word, verb))) return false
  if (destroying.test(first)) return true
  const [toolVerb = '', ...objects] = stemsOf(tool.name)
  // `add` alone is arithmetic.
  if (changes(tool)) return telling.test(first) && objects.length > 0
  return changingVerbs.has(verb) && isCommonVerb(toolVerb)
}

/** Whether a value can hardly be meant for anything else. */
function tellsParameter({ parameter, kind, value }: Candidate): boolean {
  const { choices, words, description } = parameter
  if (kind === 'hex' || kind === 'uuid') return true
  if (choices.some((choice) => Array.isArray(choice.enum) && choice.enum.length > 1)) return typeof value === 'string'
  const prefix = /^[A-Za-z]{2,}(?=[-_]?\d)/.exec(String(value))?.[0]
  if (kind === 'code' && prefix !== undefined) {
    // "ORD-778" for `orderId`, or as in "such as ORD-12345".
    const isExample = new RegExp(`\\b${prefix}[-_]?\\d`).test(description)
    if (isExample || words.some((word) => word.startsWith(prefix.toLowerCase()))) return true
  }
  return choices.some(({ format, pattern }) => format ?? pattern) && /^(?:email|url|ip|code)$/.test(kind)
}
