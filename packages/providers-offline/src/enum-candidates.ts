import type { JSONValue } from '@agentkit/core'
import type { Candidate } from './candidate.ts'
import { cueScore } from './cues.ts'
import { displayNames, unitName } from './known-names.ts'
import type { MessageText } from './message-text.ts'
import type { Parameter } from './parameters.ts'
import { isStopWord, stemsOf } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The allowed values that a message names: by their words in any case, by a known spelling, or as a number. */
export function enumCandidates(
  parameter: Parameter,
  allowed: readonly unknown[],
  message: MessageText,
  toolWords: Vocabulary,
): Candidate[] {
  return allowed.flatMap((value): Candidate[] => {
    if (typeof value === 'number') return numbers(parameter, value, message)
    if (typeof value !== 'string') return []
    return [
      ...currencies(parameter, value, message),
      ...spellings(value).flatMap(({ words, unit, score }) =>
        places(words, unit, message).map(({ start, end }) => {
          const span = {
            kind: 'code' as const,
            start,
            end,
            text: message.text.slice(start, end),
            isAttached: isAttached(start, message),
          }
          const cue = cueScore(parameter, span, message)
          const penalty =
            (isStopWord(words.join(' ')) ? 0.3 : 0) + (words.every((word) => toolWords.name.has(word)) ? 0.5 : 0)
          return {
            parameter,
            start,
            end,
            value: value as JSONValue,
            score: score + cue - penalty,
            isSpecific: true,
            kind: 'code' as const,
          }
        }),
      ),
    ]
  })
}

/** `unit` is the one name of the unit that it is; a stem is no unit's name (`kilometers` → `kilomet`). */
type Spelling = { words: string[]; unit: string | undefined; score: number }

function spellings(value: string): Spelling[] {
  const own: Spelling = { words: stemsOf(value), unit: unitName(value), score: 1.1 }
  const known = displayNames(value).map((name) => ({ words: stemsOf(name), unit: undefined, score: 1 }))
  return [own, ...known].filter(({ words }) => words.length > 0)
}

/** Where the words stand in the message, one after the other; a unit in any of its spellings. */
function places(
  words: readonly string[],
  unit: string | undefined,
  { words: said, text }: MessageText,
): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  for (let index = 0; index + words.length <= said.length; index++) {
    const first = said[index]
    const last = said[index + words.length - 1]
    if (!first || !last) break
    const isSame = words.every((word, offset) => said[index + offset]?.stem === word)
    // "in" is inches only at a number.
    const isUnit =
      unit !== undefined &&
      unitName(first.text) === unit &&
      (!isStopWord(first.text) || /\d\s?$/.test(text.slice(0, first.start)))
    if (isSame || isUnit) found.push({ start: first.start, end: last.end })
    else if (words.length === 1) {
      const glued = gluedUnit(first.text)
      if (glued && unit !== undefined && unitName(glued) === unit)
        found.push({ start: first.end - glued.length, end: first.end })
    }
  }
  return found
}

/** The unit in "10km" or "100F". */
function gluedUnit(word: string): string | undefined {
  return /^\d+(?:\.\d+)?(\p{L}+)$/u.exec(word)?.[1]
}

function isAttached(start: number, { text }: MessageText): boolean {
  return /\d\s?(?:degrees?\s|°)?$/.test(text.slice(Math.max(0, start - 12), start))
}

function numbers(parameter: Parameter, value: number, message: MessageText): Candidate[] {
  return message.spans
    .filter((span) => span.kind === 'number' && span.number === value)
    .map((span) => ({
      parameter,
      start: span.start,
      end: span.end,
      value,
      score: 0.8 + cueScore(parameter, span, message),
      isSpecific: true,
      kind: 'number',
    }))
}

/** "£" and "pounds" for GBP. */
function currencies(parameter: Parameter, value: string, message: MessageText): Candidate[] {
  return message.spans
    .filter((span) => span.kind === 'currency' && span.code === value)
    .map((span) => ({
      parameter,
      start: span.start,
      end: span.end,
      value,
      score: 1 + cueScore(parameter, span, message),
      isSpecific: true,
      kind: 'currency',
    }))
}
