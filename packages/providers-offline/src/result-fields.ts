import type { JSONValue } from '@agentkit/core'
import { areRelated } from './related-words.ts'
import { isStopWord, stemsOf, wordsOf } from './tokens.ts'

/** One plain value of a result, by the path of its keys. */
export type Field = { path: string[]; value: string | number | boolean | null }

/** The plain values of a result, in order. */
export function fieldsOf(value: JSONValue, path: string[] = []): Field[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([key, item]) => fieldsOf(item, [...path, key]))
}

/** A field that a question names, and the word that it names it by. */
export type NamedField = { field: Field; label: string }

/** What a question word asks for, in the words that fields are named by. */
const askedFor: [RegExp, string][] = [
  [/\bwho\b/i, 'name person owner author user sender'],
  [/\bwhen\b/i, 'date time at day timestamp'],
  [/\bwhere\b/i, 'place location city address'],
  [/\bhow (?:much|expensive)\b/i, 'price cost total balance'],
  [/\bhow many\b/i, 'count total number quantity'],
  [/\bhow long\b/i, 'duration length'],
  [/\bhow (?:far)\b/i, 'distance'],
  [/\bhow (?:hot|cold|warm)\b/i, 'temperature temp'],
  [/\bhow (?:old)\b/i, 'age'],
]

/**
 * The fields that a question names, by their own words or words that stand for them; at most three.
 *
 * @param ignored stems that say nothing here: the tool's name and the arguments that it was given
 */
export function namedFields(question: string, fields: readonly Field[], ignored: ReadonlySet<string>): NamedField[] {
  const said = wordsOf(question).filter(({ text }) => !isStopWord(text))
  const scored = fields.flatMap((field) => {
    const key = field.path.filter((part) => !/^\d+$/.test(part)).at(-1) ?? ''
    const words = stemsOf(key)
    const hits = words.map(
      (word) => said.find((one) => one.stem === word) ?? said.find((one) => areRelated(one.stem, word)),
    )
    const hit = hits.find((one) => one !== undefined)
    if (!hit) return []
    const weight = hits.reduce(
      (sum, one, index) =>
        sum + (one === undefined ? 0 : ignored.has(one.stem) ? 0.3 : one.stem === words[index] ? 1 : 0.9),
      0,
    )
    return [{ field, label: isStopWord(key) ? hit.text.toLowerCase() : humanized(key), score: weight / words.length }]
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  if (best >= 0.5) return scored.filter(({ score }) => score >= best - 0.01).slice(0, 3)
  const kinds = askedFor.find(([pattern]) => pattern.test(question))?.[1].split(' ')
  const byKind = fields.filter(({ path }) => kinds?.includes(path.at(-1)?.toLowerCase() ?? ''))
  return byKind.length === 1 ? byKind.map((field) => ({ field, label: humanized(field.path.at(-1) ?? '') })) : []
}

/** `blockNumber` as "block number". */
export function humanized(key: string): string {
  return key
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
}
