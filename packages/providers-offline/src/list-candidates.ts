import type { JSONSchema, JSONValue } from '@agentkit/core'
import type { Candidate } from './candidate.ts'
import { satisfies } from './check-value.ts'
import type { MessageText } from './message-text.ts'
import type { Parameter } from './parameters.ts'
import type { Vocabulary } from './vocabulary.ts'

type OfType = (parameter: Parameter, schema: JSONSchema, message: MessageText, toolWords: Vocabulary) => Candidate[]

/** Lists in a message: as JSON, as values with commas and "and", or as words between commas. */
export function listCandidates(
  parameter: Parameter,
  items: JSONSchema,
  message: MessageText,
  toolWords: Vocabulary,
  ofType: OfType,
): Candidate[] {
  const ofItem = { ...parameter, choices: [items] }
  const values = ofType(ofItem, items, message, toolWords)
    .filter(
      ({ value, score, isSpecific }) =>
        score >= 0.4 && (items.type !== 'string' || isSpecific || score >= 0.7) && satisfies(value, items),
    )
    .sort((a, b) => a.start - b.start || b.score - a.score)
  return [
    ...jsonLists(parameter, message),
    ...runs(parameter, values, message),
    ...wordLists(parameter, items, message),
  ]
}

function jsonLists(parameter: Parameter, { text }: MessageText): Candidate[] {
  return Array.from(text.matchAll(/\[[^[\]]*\]/g)).flatMap((match): Candidate[] => {
    try {
      // What JSON.parse gives is a JSON value.
      const value = JSON.parse(match[0]) as JSONValue
      const end = match.index + match[0].length
      return [{ parameter, start: match.index, end, value, score: 2, isSpecific: true, kind: 'list' }]
    } catch {
      return []
    }
  })
}

/** Values that follow one another with nothing but commas, "and", "or" and a word such as "number" between them. */
function runs(parameter: Parameter, values: readonly Candidate[], { text }: MessageText): Candidate[] {
  const found: Candidate[][] = []
  for (const value of values) {
    const run = found.at(-1)
    const last = run?.at(-1)
    if (last && value.start < last.end) continue
    if (run && last && /^["'”’`]?[\s,;&]*(?:and|or|plus)?\s*["'“‘`]?$/i.test(text.slice(last.end, value.start)))
      run.push(value)
    else found.push([value])
  }
  return found.map((run) => ({
    parameter,
    start: run[0]?.start ?? 0,
    end: run.at(-1)?.end ?? 0,
    value: run.map(({ value }) => value),
    score: Math.max(...run.map(({ score }) => score)) + Math.min(0.4, (run.length - 1) * 0.2),
    isSpecific: run.length > 1 || run.some(({ isSpecific }) => isSpecific),
    kind: 'list',
  }))
}

const word = "[\\p{L}\\p{N}'’-]+"
const words = `${word}(?: ${word}){0,2}`
const wordList = new RegExp(
  `(?<![\\p{L}\\p{N}'’-])(${words})((?:, ?${words} ?)*),? (?:and|or) (${words}?)(?=$|[.!?;]| (?:to|in|on|for|from|with|at|into|as|under|within|using|by|that)\\b)`,
  'iu',
)

/** Each word is tried as the first of all that follow. */
const longestSearched = 1_500

/** "milk, eggs and brown bread": words between commas. */
function wordLists(parameter: Parameter, items: JSONSchema, { text }: MessageText): Candidate[] {
  if (items.type !== 'string' && items.type !== undefined) return []
  const searched = text.slice(0, longestSearched)
  const match = wordList.exec(searched)
  // What ends where the search does may be cut.
  if (!match || (match.index + match[0].length === longestSearched && searched !== text)) return []
  const first = trimmedLeft(match[1] ?? '')
  const rest = [...(match[2] ?? '').split(','), match[3] ?? ''].map((item) => item.trim()).filter((item) => item !== '')
  const start = match.index + (match[1] ?? '').length - first.length
  return [
    {
      parameter,
      start,
      end: match.index + match[0].length,
      value: [first, ...rest],
      score: 0.6,
      isSpecific: false,
      kind: 'list',
    },
  ]
}

/** The first item without the words that lead to the list: "add milk" is "milk", "items: brown bread" stays whole. */
function trimmedLeft(words: string): string {
  const parts = words.split(' ')
  return parts.length > 1 ? (parts.at(-1) ?? words) : words
}
