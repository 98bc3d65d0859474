import { invalidArgument } from '@agentkit/core/internal'

const isWhole = (value: unknown, from: number): boolean => Number.isSafeInteger(value) && Number(value) >= from
const isText = (value: unknown, most: number): boolean => typeof value === 'string' && value.length <= most
const isTexts = (value: unknown, most: number): boolean =>
  Array.isArray(value) && value.every((one) => isText(one, most))

/** The longest path that is looked up, in characters: no file system has longer ones, but a model may write any. */
export const longestPath = 1_024
/** The longest query, in characters. */
export const longestQuery = 4_000

/** The options of the calls. */
type OptionName =
  | 'limit'
  | 'from'
  | 'context'
  | 'maxFileBytes'
  | 'paths'
  | 'exts'
  | 'signal'
  | 'onWarning'
  | 'onProgress'

/** The type that each option needs. */
const kinds: Record<OptionName, { is: string; holds(value: unknown): boolean }> = {
  limit: { is: 'a whole number from 1 on', holds: (value) => isWhole(value, 1) },
  from: { is: 'a whole number from 0 on', holds: (value) => isWhole(value, 0) },
  context: { is: 'a whole number from 0 to 100,000', holds: (value) => isWhole(value, 0) && Number(value) <= 100_000 },
  maxFileBytes: { is: 'a whole number of bytes, from 1 on', holds: (value) => isWhole(value, 1) },
  paths: {
    is: `a list of texts, such as ["handbook/"], of at most ${longestPath} characters each`,
    holds: (value) => isTexts(value, longestPath),
  },
  exts: {
    is: `a list of texts, such as [".md"], of at most ${longestPath} characters each`,
    holds: (value) => isTexts(value, longestPath),
  },
  signal: { is: 'an AbortSignal', holds: (value) => value instanceof AbortSignal },
  onWarning: { is: 'a function', holds: (value) => typeof value === 'function' },
  onProgress: { is: 'a function', holds: (value) => typeof value === 'function' },
}

/**
 * Checks the options of a call such as `search()`, which JavaScript may pass with any type.
 * @throws AgentKitError `invalid-argument`
 */
export function checkOptions(call: string, options: unknown, names: readonly OptionName[]): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null) {
    throw invalidArgument(`The options of ${call} are an object. There are: ${names.join(', ')}.`)
  }
  for (const [name, value] of Object.entries(options)) {
    const known = names.find((one) => one === name)
    if (!known) throw invalidArgument(`${call} has no option "${name}". There are: ${names.join(', ')}.`)
    if (value !== undefined) checkOption(known, value)
  }
}

/** @throws AgentKitError `invalid-argument` */
export function checkOption(name: OptionName, value: unknown): void {
  const { is, holds } = kinds[name]
  if (!holds(value)) throw invalidArgument(`\`${name}\` is ${is}, not ${show(value)}.`)
}

/**
 * @param fix what to pass instead, for the message
 * @param longest in characters; the longest path of a file system when absent
 * @throws AgentKitError `invalid-argument` for a value that is not a string, is empty, or is too long
 */
export function checkText(call: string, value: unknown, fix: string, longest = 4_096): void {
  if (typeof value === 'string' && value.length > longest) {
    throw invalidArgument(
      `${call} was given a text of ${value.length} characters; at most ${longest} are allowed: ${fix}.`,
    )
  }
  if (typeof value === 'string' && value.trim() !== '') return
  throw invalidArgument(`${call} was given ${typeof value === 'string' ? 'an empty text' : show(value)}: ${fix}.`)
}

function show(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`
  return Array.isArray(value) ? 'a list of others' : String(value)
}
