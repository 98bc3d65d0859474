import type { JSONValue } from '@agentkit/core'
import { resultValue, type TurnResult } from './conversation.ts'
import { bestSentences } from './passages.ts'
import { type Field, fieldsOf, humanized, namedFields } from './result-fields.ts'
import { contentStems, stemsOf } from './tokens.ts'

const mostItems = 10
const mostFields = 24
const longText = 400

/** One tool's result as plain sentences: the field that was asked for, the passage that answers, or what there is. */
export function describeResult(result: TurnResult, question: string): string {
  const { call, message } = result
  const value = resultValue(message)
  if (message.isError)
    return `The tool ${call.name} failed: ${endSentence(typeof value === 'string' ? value : JSON.stringify(value ?? 'no message'))}`
  const given = told(call.input)
  if (value === undefined) return `${call.name} is done${given === '' ? '' : ` (${given})`}.`
  if (value === null) return `There is no result: ${call.name} gave none${given === '' ? '' : ` for ${given}`}.`
  if (typeof value !== 'object') return describePlain(call.name, value, question)
  return describeData(result, value, question)
}

function describePlain(name: string, value: string | number | boolean, question: string): string {
  if (typeof value !== 'string') return `The result of ${name} is ${value}.`
  const [best] = value.length > longText ? bestSentences(question, [value], 0.3) : []
  if (best) return `${name} says: "${best.sentence}"`
  if (value.length > longText * 4)
    return `${name} says: "${value.slice(0, longText * 4)}" … (${value.length} characters in all)`
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
  if (!Array.isArray(value) || value.length === 1) {
    const answers = answerFields(call, value)
    const named = namedFields(question, answers, ignoredWords(call))
    if (named.length > 0) {
      return named
        .map(({ field, label }) => `The ${label} is ${shown(field.value)} (${field.path.join('.')} of ${call.name}).`)
        .join(' ')
    }
    const [only] = answers
    if (only && answers.length === 1)
      return `The ${humanized(only.path.at(-1) ?? '')} is ${shown(only.value)} (${call.name}).`
    return `${call.name} gives ${list(fields)}.`
  }
  const items = value
    .slice(0, mostItems)
    .map((item) => (typeof item === 'object' && item !== null ? `- ${list(fieldsOf(item))}` : `- ${String(item)}`))
  const more = value.length > mostItems ? `\n(and ${value.length - mostItems} more)` : ''
  return `${call.name} gives ${value.length} results:\n${items.join('\n')}${more}`
}

/** Whether a question names a field of a result that is an object. */
export function namesField({ call, message }: TurnResult, question: string): boolean {
  const value = message.isError ? null : (resultValue(message) ?? null)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return namedFields(question, answerFields(call, value), ignoredWords(call)).length > 0
}

/** A result's fields without those that only repeat what was put in. */
function answerFields({ input }: TurnResult['call'], value: JSONValue): Field[] {
  const inputs = new Set(Object.entries(input).map(([key, item]) => `${key}=${JSON.stringify(item)}`))
  return fieldsOf(value).filter(({ path, value: own }) => !inputs.has(`${path.at(-1)}=${JSON.stringify(own)}`))
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
  const named = fields.slice(0, mostFields).map(({ path, value }) => `${path.join('.')} ${shown(value)}`)
  return named.join(', ') + (fields.length > mostFields ? `, and ${fields.length - mostFields} more` : '')
}

function shown(value: Field['value']): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

function told(input: { [key: string]: JSONValue }): string {
  return Object.entries(input)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ')
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
