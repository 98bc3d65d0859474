import type { JSONValue } from '@agentkit/core'
import { resultValue, type TurnResult } from './conversation.ts'
import { introduction } from './introduction.ts'
import { bestSentences } from './passages.ts'
import { type Field, fieldsOf, humanized, type NamedField, namedFields } from './result-fields.ts'
import { contentStems, stemsOf } from './tokens.ts'

const mostItems = 10
const mostFields = 24
/** More fields than this are listed, not told. */
const mostSpoken = 8
const longText = 400

/** One tool's result as plain sentences: the field that was asked for, the passage that answers, or what there is. */
export function describeResult(result: TurnResult, question: string): string {
  const { call, message } = result
  const value = resultValue(message)
  if (message.isError) {
    const reason = typeof value === 'string' ? value : JSON.stringify(value ?? 'no message')
    return `The tool ${call.name} failed: ${endSentence(reason)}`
  }
  const given = told(call.input)
  if (value === undefined) return `Done: ${call.name}${given === '' ? '' : ` with ${given}`}.`
  if (value === null) return `There is no result: ${call.name} found nothing${given === '' ? '' : ` for ${given}`}.`
  if (typeof value !== 'object') return describePlain(call.name, value, question)
  return describeData(result, value, question)
}

function describePlain(name: string, result: string | number | boolean, question: string): string {
  if (typeof result !== 'string') return `The result of ${name} is ${result}.`
  // Another one of its kind, asked as a tool, introduces itself too.
  const value = result.replaceAll(`${introduction} `, '')
  const [best] = value.length > longText ? bestSentences(question, [value], 0.3) : []
  if (best) return `${name} says: "${best.sentence}"`
  if (value.length > longText * 4)
    return `${name} says: "${value.slice(0, longText * 4)}" … (its first ${longText * 4} characters)`
  return /[\n"]/.test(value) ? `${name} says:\n${value}` : `${name} says: "${value}"`
}

function describeData(
  { call }: TurnResult,
  value: JSONValue[] | { [key: string]: JSONValue },
  question: string,
): string {
  const quoted = quotePassages(value, question)
  if (quoted !== '') return `${call.name} found: ${quoted}`
  const fields = fieldsOf(value)
  if (fields.length === 0)
    return `There is no result: ${call.name} gave an empty ${Array.isArray(value) ? 'list' : 'object'}.`
  const items = Array.isArray(value) ? value : [value]
  const one = items.length === 1 ? value : namedItem(value, question)
  if (one !== undefined) return describeFields(call, one, question)
  const lines = items
    .slice(0, mostItems)
    .map((item) => `- ${typeof item === 'object' && item !== null ? list(fieldsOf(item)) : String(item)}`)
  const more = items.length > mostItems ? `\n(and ${items.length - mostItems} more)` : ''
  return `${call.name} gives ${items.length} results:\n${lines.join('\n')}${more}`
}

function describeFields(call: TurnResult['call'], value: JSONValue, question: string): string {
  const answers = answerFields(call, value)
  const [only] = answers
  const named = namedFields(question, answers, ignoredWords(call))
  const asked = only && answers.length === 1 && named.length === 0 ? [{ field: only, label: labelOf(only) }] : named
  const isYesOrNo = /^\s*(?:is|are|was|were|do|does|did|has|have|can)\b/i.test(question)
  if (asked.length > 0) {
    const [first] = asked
    const yesOrNo = isYesOrNo && typeof first?.field.value === 'boolean' ? (first.field.value ? 'Yes: ' : 'No: ') : ''
    return `${sentence(yesOrNo + joined(asked.map(sayField)))} (from ${call.name}).`
  }
  const fields = fieldsOf(value)
  if (fields.length > mostSpoken) return `${call.name} gives ${list(fields)}.`
  return `${sentence(joined(fields.map((field) => sayField({ field, label: labelOf(field) }))))} (from ${call.name}).`
}

function sayField({ field: { value }, label }: NamedField): string {
  if (value === null) return `there is no ${label}`
  if (typeof value === 'boolean') return `${label} is ${value}`
  return `the ${label} ${/[^aius]s$/.test(label) ? 'are' : 'is'} ${shown(value)}`
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** The one item of a list that a question names by a text in it: "the battery of the door sensor". */
function namedItem(value: JSONValue, question: string): JSONValue | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined
  const said = new Set(stemsOf(question))
  const isNamed = (item: JSONValue): boolean =>
    fieldsOf(item).some(({ value: text }) => {
      const words = typeof text === 'string' ? contentStems(text) : []
      return words.length > 0 && words.length <= 6 && words.every((word) => said.has(word))
    })
  const named = value.filter(isNamed)
  return named.length === 1 ? named[0] : undefined
}

/** Whether a question names an item of a list and a field of it, which no tool need be asked again. */
export function namesItem({ message }: TurnResult, question: string): boolean {
  const value = message.isError ? null : (resultValue(message) ?? null)
  const item = namedItem(value, question)
  return item !== undefined && namedFields(question, fieldsOf(item), new Set()).length > 0
}

/** Whether a question names a field of a result, or an item of a list of them. */
export function namesField({ call, message }: TurnResult, question: string): boolean {
  const value = message.isError ? null : (resultValue(message) ?? null)
  if (typeof value !== 'object' || value === null) return false
  const item = namedItem(value, question)
  if (Array.isArray(value) && item === undefined) return false
  return namedFields(question, answerFields(call, item ?? value), ignoredWords(call)).length > 0
}

/** A result's fields without those that only repeat what was put in: a text by any name, a number by the same. */
function answerFields({ input }: TurnResult['call'], value: JSONValue): Field[] {
  const inputs = new Set(Object.entries(input).map(([key, item]) => `${key}=${JSON.stringify(item)}`))
  const texts = new Set(Object.values(input).filter((item) => typeof item === 'string'))
  const fields = fieldsOf(value).filter(({ path, value: own }) => !inputs.has(`${path.at(-1)}=${JSON.stringify(own)}`))
  const news = fields.filter(({ value: own }) => typeof own !== 'string' || !texts.has(own))
  return news.length > 0 ? news : fields
}

function ignoredWords({ name, input }: TurnResult['call']): Set<string> {
  return new Set([...contentStems(name), ...stemsOf(Object.values(input).map(String).join(' '))])
}

/** The sentences of a result's passages that answer, each with the file or title that it is from. */
function quotePassages(value: JSONValue, question: string): string {
  const passages = passagesIn(value)
  const found = bestSentences(
    question,
    passages.map(({ text }) => text),
    0.3,
  )
  return found
    .map(({ sentence, passage }) => {
      const from = passages[passage]?.from
      return `"${sentence}"${from === undefined ? '' : ` (${from})`}`
    })
    .join(' ')
}

/** Texts long enough to be quoted from, with where they are from. */
export function passagesIn(value: JSONValue, from?: string): { text: string; from: string | undefined }[] {
  if (Array.isArray(value)) return value.flatMap((item) => passagesIn(item, from))
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && value.length >= 30 && /\s\S+\s/.test(value) ? [{ text: value, from }] : []
  }
  const name = ['file', 'title', 'source', 'url', 'name', 'path']
    .map((key) => value[key])
    .find((item) => typeof item === 'string')
  const source = typeof name === 'string' ? name : from
  return Object.entries(value).flatMap(([key, item]) =>
    item === name && key !== 'text' ? [] : passagesIn(item, source),
  )
}

function list(fields: readonly Field[]): string {
  const named = fields.slice(0, mostFields).map((field) => `${labelOf(field)}: ${shown(field.value)}`)
  return named.join(', ') + (fields.length > mostFields ? `, and ${fields.length - mostFields} more` : '')
}

function labelOf({ path }: Field): string {
  return path
    .filter((key) => !/^\d+$/.test(key))
    .map(humanized)
    .join(' ')
}

function shown(value: Field['value']): string {
  if (value === null) return 'none'
  // Text that could be taken for the sentence around it stands in quotes.
  return typeof value === 'string' && /^$|[,;:"]\s|[.!?](?:\s|$)|\s(?:and|is)\s/.test(value)
    ? `"${value}"`
    : String(value)
}

function told(input: { [key: string]: JSONValue }): string {
  const fields = fieldsOf(input)
  return joined(fields.map((field) => `${labelOf(field)} ${shown(field.value)}`))
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
