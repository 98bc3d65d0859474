import type { JSONValue } from '@agentkit/core'
import { firstChars } from '@agentkit/core/internal'
import type { ToolResult } from './conversation.ts'
import { isStopWord, relatedStems, splitNames, stemsOf, wordsOf } from './words.ts'

/** A plain value of a result, by the keys that lead to it. */
type Field = { path: string[]; value: JSONValue }

const mostItems = 10
const mostFields = 24
const mostDepth = 8
const longestText = 1_600

/** A result as `field: value`: the fields that the question names, or all of them. */
export function describeResult({ name, input, text, isError }: ToolResult, question: string): string {
  if (isError) return `The tool ${name} failed: ${/[.!?]$/.test(text) ? cutText(text) : `${cutText(text)}.`}`
  const given = list(fieldsOf(input))
  if (text === 'done') return given === '' ? `Done: ${name}.` : `Done: ${name} (${given}).`
  const value = dataOf(text)
  const items = Array.isArray(value) ? value : [value]
  const fields = fieldsOf(value)
  if (value === null || fields.length === 0) return `${name} found nothing${given === '' ? '' : ` for ${given}`}.`
  if (typeof value !== 'object') return `${name}: ${cutText(String(value))}`
  if (items.length === 1) return `${namedFields(fields, question) || list(fields)} (from ${name}).`
  const lines = items.slice(0, mostItems).map((item) => `- ${list(fieldsOf(item))}`)
  const more = items.length > mostItems ? [`and ${items.length - mostItems} more`] : []
  return [`${name} gives ${items.length} results:`, ...lines, ...more].join('\n')
}

/** The result of a tool as data: parsed if it is JSON, `null` for no result. */
export function dataOf(text: string): JSONValue {
  if (text === '' || text === 'no result') return null
  if (!/^(?:[[{"\d-]|true$|false$|null$)/.test(text)) return text
  try {
    // The cast holds: JSON.parse returns JSON.
    const value = JSON.parse(text) as JSONValue
    // Digits that a number would change (an id, an amount in wei) stay text.
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}

/** The plain values of data, in order. */
export function fieldsOf(value: JSONValue, path: string[] = [], found: Field[] = []): Field[] {
  if (typeof value !== 'object' || value === null) found.push({ path, value })
  else if (path.length === mostDepth) found.push({ path, value: '…' })
  else {
    for (const [key, item] of Object.entries(value)) {
      if (found.length > mostFields) break
      fieldsOf(item, [...path, key], found)
    }
  }
  return found
}

/**
 * The fields whose keys match a question best: "Who is the sender?" asks for `from`, which is then shown as "sender".
 */
function namedFields(fields: readonly Field[], question: string): string {
  const said = new Map(wordsOf(question).map(({ stem, text }) => [stem, text.toLowerCase()]))
  const scored = fields.map((field) => {
    const words = stemsOf(field.path.at(-1) ?? '')
    const [first = ''] = words
    // "from" and "to" are words of every question: only a related word names them.
    const isUnclear = words.length === 1 && isStopWord(first)
    const other = isUnclear ? relatedStems(first).find((one) => one !== first && said.has(one)) : undefined
    const hits = isUnclear ? [] : words.filter((word) => relatedStems(word).some((one) => said.has(one)))
    const share = other === undefined ? hits.length / Math.max(1, words.length) : 1
    return { label: said.get(other ?? '') ?? labelOf(field), value: field.value, share }
  })
  const best = Math.max(0.5, ...scored.map(({ share }) => share))
  const named = scored.filter(({ share }) => share >= best).slice(0, 3)
  return named.map(({ label, value }) => `${label}: ${cutText(String(value))}`).join(', ')
}

function list(fields: readonly Field[]): string {
  const texts = fields.slice(0, mostFields).map((one) => [labelOf(one), cutText(String(one.value))])
  const shown = texts.map(([label, text]) => (label === '' ? text : `${label}: ${text}`))
  return [...shown, ...(fields.length > mostFields ? ['…'] : [])].join(', ')
}

/** `block number` for `blockNumber`; places in lists are left out. */
function labelOf({ path }: Field): string {
  return splitNames(path.filter((key) => !/^\d+$/.test(key)).join(' ')).toLowerCase()
}

function cutText(text: string): string {
  return text.length > longestText ? `${firstChars(text, longestText)}…` : text
}
