import { AgentKitError, type ErrorCode, invalidArgument } from '../../data/errors.ts'
import { isRecord } from '../../data/message-problem.ts'
import { limits } from '../../limits.ts'
import { nearestWord } from '../text/nearest-word.ts'
import { type ForeignWords, foreignWord } from './foreign-words.ts'

/** The requirement, as the end of a sentence, and its check. */
export type OptionRule = { readonly is: string; holds(value: unknown): boolean }

/** Each option with its rule, or with a function that checks it and throws. */
export type OptionRules<Options> = {
  readonly [Name in keyof Required<Options>]: OptionRule | ((value: never) => unknown)
}

/**
 * Checks options by a table. An option that is `undefined` is absent.
 *
 * @param check.of the parent option: `budget`
 * @param check.example a valid value of `of`, for the message: `{ usd: 0.5 }`
 * @param check.words what other libraries call these options
 * @throws AgentKitError `invalid-argument` for an unknown option or a wrong value, with the fix
 */
export function checkOptions(
  options: object,
  rules: OptionRules<Record<string, unknown>>,
  { of, example, words }: { of?: string; example?: string; words?: ForeignWords } = {},
): void {
  if (example !== undefined && !isRecord(options)) {
    throw invalidArgument(`\`${of}\` is an object such as ${example}.`)
  }
  checkOptionNames(options, rules, {
    code: 'invalid-argument',
    ...(of !== undefined && { of }),
    ...(words && { words }),
  })
  for (const [name, value] of Object.entries(options)) {
    const rule = rules[name]
    if (value === undefined || rule === undefined) continue
    if (typeof rule === 'function') {
      // A rule of the option's type receives the option's value, which the function checks.
      rule(value as never)
    } else if (!rule.holds(value)) {
      throw invalidArgument(`\`${of === undefined ? '' : `${of}.`}${name}\` is ${rule.is}.`)
    }
  }
}

/**
 * Refuses unknown options: a misspelt one would be ignored, and `{ user_id }` would silently mean the user
 * `"default"`.
 *
 * @param known all options, as a table that the compiler compares with the type
 * @param check.of the parent option: `budget`
 * @param check.words what other libraries call these options
 * @throws AgentKitError `check.code` for a value that is not an object, and for the first unknown option, with the
 *   nearest known name and all of them
 * @example
 * checkOptionNames(options, { host: true, port: true } satisfies Record<keyof Options, true>, { code: 'invalid-config' })
 * // Unknown option `hosst`. Did you mean `host`? Known: host, port.
 */
export function checkOptionNames(
  options: object,
  known: Readonly<Record<string, unknown>>,
  { code, of, words = {} }: { code: ErrorCode; of?: string; words?: ForeignWords },
): void {
  const names = Object.keys(known)
  if (!isRecord(options)) {
    throw new AgentKitError(
      code,
      `${of === undefined ? 'The options are' : `\`${of}\` is`} an object. Known: ${names.join(', ')}.`,
    )
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const path = of === undefined ? '' : `${of}.`
  const foreign = foreignWord(unknown, words)
  if (foreign) throw new AgentKitError(code, `Unknown option \`${path}${unknown}\`. ${foreign}`)
  const nearest = nearestWord(unknown, names)
  const hint = nearest === undefined ? '' : ` Did you mean \`${path}${nearest}\`?`
  throw new AgentKitError(code, `Unknown option \`${path}${shorten(unknown)}\`.${hint} Known: ${names.join(', ')}.`)
}

/** An untrusted name, such as an index of an array, may have any length. */
function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name
}

/** For an option that is checked elsewhere. */
export const isAny: OptionRule = { is: 'anything', holds: () => true }

export const isText: OptionRule = { is: 'a text', holds: (value) => typeof value === 'string' }

/** An empty id is usually a variable that was not set: all users would share one conversation. */
export const isId: OptionRule = {
  is: 'a text that is not empty. Leave it out for none',
  holds: (value) => typeof value === 'string' && value !== '',
}

export const isTextList: OptionRule = {
  is: 'a list of texts',
  holds: (value) => Array.isArray(value) && value.every(isText.holds),
}

export const isFlag: OptionRule = { is: 'true or false', holds: (value) => typeof value === 'boolean' }

export const isFunction: OptionRule = { is: 'a function', holds: (value) => typeof value === 'function' }

/** 0 or more; may be infinite. */
export const isAmount: OptionRule = {
  is: 'a number, 0 or more',
  holds: (value) => typeof value === 'number' && value >= 0,
}

export const isCount: OptionRule = {
  is: 'a whole number above 0',
  holds: (value) => Number.isInteger(value) && Number(value) > 0,
}

/** A duration within the range of timers. */
export const isMilliseconds: OptionRule = {
  is: `a number of milliseconds, above 0 and at most ${limits.longestTimerMs}`,
  holds: (value) => typeof value === 'number' && value > 0 && value <= limits.longestTimerMs,
}

/** How long approvals can be decided. */
export const isApprovalDays: OptionRule = {
  is: `a number of days, above 0 and at most ${limits.mostApprovalDays}`,
  holds: (value) => typeof value === 'number' && value > 0 && value <= limits.mostApprovalDays,
}

export function isOneOf(words: readonly string[]): OptionRule {
  const quoted = words.map((word) => `"${word}"`)
  return {
    is: [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' or '),
    holds: (value) => words.some((word) => word === value),
  }
}

/** An object with this method, of any class. */
export function hasMethod(name: string, is: string): OptionRule {
  return { is, holds: (value) => typeof (value as Record<string, unknown> | null)?.[name] === 'function' }
}
