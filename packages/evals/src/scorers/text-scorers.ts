import { isDeepStrictEqual } from 'node:util'
import { checkOptions, firstChars, foldCase, invalidArgument, isFlag, isRecord, isText } from '@agentkit/core/internal'
import type { ScoredRun, Scorer } from '../data/scorer.ts'
import { limits } from '../limits.ts'
import { parsedAnswer } from './parsed-answer.ts'

/** How texts are compared. */
export type TextOptions = {
  /** The key of `expected` that is compared, where several scorers need one each: `expected: { text: "…", tools: […] }`. */
  field?: string
  /** Whether upper and lower case are the same; false when absent. */
  ignoreCase?: boolean
}

const textRules = { field: isText, ignoreCase: isFlag }

/**
 * Whether the answer equals the expected value: the same text, ignoring white space at the ends; an `output` that is a
 * text is compared too. If `expected` is not a text, the answer's `output`, or its text parsed as JSON, is compared.
 *
 * A case without `expected` has no score.
 *
 * @throws AgentKitError `invalid-argument` for an unknown option
 * @example
 * const cases = [{ input: 'What is the capital of Norway? One word.', expected: 'Oslo' }]
 * await evaluate({ agent, cases, scorers: [exact({ ignoreCase: true })] })
 */
export function exact(options: TextOptions = {}): Scorer {
  checkOptions(options, textRules, { of: 'exact' })
  const { ignoreCase = false, field } = options
  return {
    name: 'exact',
    version: JSON.stringify([ignoreCase, field]),
    score(run) {
      const expected = expectedOf(run, 'exact', field)
      if (typeof expected !== 'string') {
        const value = parsedAnswer(run.result)
        if (value && isDeepStrictEqual(plain(value.value), plain(expected))) return 1
        return { score: 0, reason: `expected ${cut(JSON.stringify(expected))}` }
      }
      // The text of an output that is itself a text is JSON, with quotes around it.
      const { text, output } = run.result
      const answers = typeof output === 'string' ? [text, output] : [text]
      if (answers.some((answer) => comparable(answer, ignoreCase) === comparable(expected, ignoreCase))) return 1
      return { score: 0, reason: `expected ${cut(expected.trim())}` }
    },
  }
}

/**
 * The share of the expected texts that the answer contains; `expected` is one text, or a list of texts.
 *
 * A case without `expected` has no score.
 *
 * @throws AgentKitError `invalid-argument` for an unknown option
 * @example
 * const cases = [{ input: 'Which cities are on the Rhine?', expected: ['Basel', 'Cologne'] }]
 * await evaluate({ agent, cases, scorers: [contains()] })
 */
export function contains(options: TextOptions = {}): Scorer {
  checkOptions(options, textRules, { of: 'contains' })
  const { ignoreCase = false, field } = options
  return {
    name: 'contains',
    version: JSON.stringify([ignoreCase, field]),
    score(run) {
      const texts: unknown[] = [expectedOf(run, 'contains', field)].flat()
      if (texts.length === 0 || !texts.every(isNonEmpty)) {
        throw invalidArgument('`contains` needs `expected`: a text, or a list of texts.')
      }
      const answer = comparable(run.result.text, ignoreCase)
      const absent = texts.filter((text) => !answer.includes(comparable(text, ignoreCase)))
      const score = (texts.length - absent.length) / texts.length
      return absent.length === 0 ? 1 : { score, reason: `without ${cut(absent.join(', '))}` }
    },
  }
}

/**
 * Whether the answer matches a regular expression. The search ends after one second, and covers the first million
 * characters: a pattern such as `/(a+)+$/` may never end, and has no score then.
 *
 * @throws AgentKitError `invalid-argument` for something other than a regular expression
 * @example
 * regex(/\b\d{4}-\d{2}-\d{2}\b/)
 */
export function regex(pattern: RegExp): Scorer {
  if (!(pattern instanceof RegExp))
    throw invalidArgument('`regex` takes a regular expression, such as regex(/[0-9]+/).')
  // With `g` and `y` a search begins where the last one ended.
  const { source, flags } = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
  return {
    name: 'regex',
    version: `/${source}/${flags}`,
    async score({ result }) {
      // A search cannot be interrupted, except in a context of its own.
      const { runInNewContext } = await import('node:vm')
      const text = result.text.slice(0, limits.regexChars)
      try {
        const search = 'new RegExp(source, flags).test(text)'
        if (runInNewContext(search, { source, flags, text }, { timeout: limits.regexMs }) === true) return 1
      } catch (cause) {
        if (isTimeout(cause)) {
          const message = `/${cut(source)}/ took longer than ${limits.regexMs} ms. Write it without nested repetitions.`
          throw invalidArgument(message, { cause })
        }
        throw cause
      }
      return { score: 0, reason: `no match of /${cut(source)}/` }
    },
  }
}

function isNonEmpty(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

function isTimeout(cause: unknown): boolean {
  // `instanceof` fails, because the error's class belongs to the other context.
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

/** @throws AgentKitError `invalid-argument` for a case without `expected`, or without the field of it */
export function expectedOf({ case: { expected } }: ScoredRun, scorer: string, field: string | undefined): unknown {
  const found = field === undefined ? expected : isRecord(expected) ? expected[field] : undefined
  if (found !== undefined && found !== null) return found
  throw invalidArgument(`\`${scorer}\` needs \`expected${field === undefined ? '' : `.${field}`}\` in the case.`)
}

function comparable(text: string, ignoreCase: boolean): string {
  const one = text.trim().normalize('NFC')
  return ignoreCase ? foldCase(one) : one
}

/** The value as JSON: `undefined` fields are absent. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

export function cut(text: string): string {
  return text.length > 200 ? `${firstChars(text, 199)}…` : text
}
