import { isAgentKitError } from '@agentkit/core'
import {
  budgetNames,
  busyWords,
  collaborations,
  histories,
  isAmount,
  isApprovalDays,
  isCacheOption,
  isFlag,
  isOneOf,
  isText,
  isTextList,
  type OptionRule,
  retrievalTools,
  settingRules,
} from '@agentkit/core/internal'
import type { Dialect } from '@agentkit/server'
import { findModel } from '../models/model-name.ts'
import type { NamedProviders } from '../models/named-provider.ts'
import type { ConfigKey, ValueTypes } from './config-keys.ts'

const limitNames = budgetNames.map((name) => name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`))

/** A timer of more than 32 bits of milliseconds would fire at once. */
const maxSeconds = Math.floor((2 ** 31 - 1) / 1000)

/** The retriever's list. It is repeated here because the retriever may not be installed. */
export const readableExts: readonly string[] = ['.csv', '.docx', '.md', '.mdx', '.pdf', '.txt']

/** The server's list. It is repeated here because the server package is loaded only to serve. */
const dialects: readonly Dialect[] = ['openai', 'ui', 'agui', 'mcp', 'a2a']

const isWord = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const isWhole = (value: unknown, from: number, to: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= from && value <= to

const isWithin = (value: unknown, from: number, to: number): boolean =>
  typeof value === 'number' && value >= from && value <= to

const isModel = (value: unknown): boolean =>
  isWord(value) || (Array.isArray(value) && value.length > 0 && value.every(isWord))
const isBudget = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, limit]) => limitNames.includes(name) && isAmount.holds(limit))

/** The package's limit. It is repeated here because the package may not be installed. */
const maxMemoryDays = 36_500

const isMemory = (value: unknown): boolean => {
  if (!isPlainTable(value)) return isFlag.holds(value)
  const { recall = true, notes = true, days = 1, ...others } = value
  const areFlags = isFlag.holds(recall) && isFlag.holds(notes) && (recall || notes) === true
  return areFlags && isWhole(days, 1, maxMemoryDays) && Object.keys(others).length === 0
}

const isExt = (value: unknown): boolean =>
  typeof value === 'string' && readableExts.includes(`.${value.trim().replace(/^\./, '').toLowerCase()}`)
const isBytes = (megabytes: unknown): boolean =>
  typeof megabytes === 'number' && isWhole(Math.round(megabytes * 1e6), 1, Number.MAX_SAFE_INTEGER)

const isAddress = (value: unknown): boolean => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === ''
}
const isPlainTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
/** Whether HTTP allows the header: other characters could start another header. */
const isHeader = ([name, value]: [string, unknown]): boolean =>
  /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && typeof value === 'string' && /^[\t\x20-\x7e]{0,8000}$/.test(value)

const valueTypes: { readonly [Type in keyof ValueTypes]: OptionRule } = {
  text: { is: 'text in quotes', holds: isText.holds },
  word: { is: 'text in quotes, not empty', holds: isWord },
  model: { is: "a model's name in quotes, or a list of such names", holds: isModel },
  budget: { is: `a table of numbers, 0 or more: ${limitNames.join(', ')}`, holds: isBudget },
  // As TOML writes a table.
  cache: { ...isCacheOption, is: isCacheOption.is.replace('key:', 'key =') },
  busy: isOneOf(busyWords),
  texts: isTextList,
  extensions: {
    is: `a list of one or more of ${readableExts.map((ext) => `"${ext}"`).join(', ')}`,
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isExt),
  },
  flag: { is: 'true or false, without quotes', holds: isFlag.holds },
  seconds: {
    is: `a number of seconds, above 0 and at most ${maxSeconds}`,
    holds: (value) => typeof value === 'number' && value > 0 && value <= maxSeconds,
  },
  telemetry: isOneOf(['otlp']),
  'approval-days': isApprovalDays,
  count: { is: 'a whole number of 1 or more', holds: (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER) },
  'count-from-0': { is: 'a whole number of 0 or more', holds: (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER) },
  temperature: settingRules.temperature,
  reasoning: settingRules.reasoning,
  'retrieval-tool': isOneOf(retrievalTools),
  megabytes: { is: 'a number of megabytes, at least 0.000001', holds: isBytes },
  'parse-memory': { is: 'a number of megabytes, at least 128', holds: (value) => isWithin(value, 128, 1e6) },
  'parse-seconds': {
    is: `a number of seconds, from 1 to ${maxSeconds}`,
    holds: (value) => isWithin(value, 1, maxSeconds),
  },
  'parse-processes': { is: 'a whole number from 1 to 64', holds: (value) => isWhole(value, 1, 64) },
  collaboration: isOneOf(collaborations),
  history: {
    is: `${isOneOf(histories).is}, or a whole number of 1 or more`,
    holds: (value) => isOneOf(histories).holds(value) || isWhole(value, 1, Number.MAX_SAFE_INTEGER),
  },
  number: { is: 'a number of 0 or more', holds: (value) => isWithin(value, 0, Number.MAX_SAFE_INTEGER) },
  dollars: { is: 'a number of US dollars above 0', holds: (value) => isWithin(value, Number.MIN_VALUE, 1e9) },
  approvals: isOneOf(['owner', 'service']),
  dialects: {
    is: `a list of ${dialects.map((name) => `"${name}"`).join(', ')}`,
    holds: (value) => Array.isArray(value) && value.every((name) => dialects.includes(name)),
  },
  log: isOneOf(['human', 'json']),
  'provider-kind': isOneOf(['openai-compatible']),
  address: { is: 'an http or https address in quotes, without a user and a password', holds: isAddress },
  variable: {
    is: 'the name of an environment variable in quotes',
    holds: (value) => typeof value === 'string' && /^[A-Za-z_]\w{0,199}$/.test(value),
  },
  api: isOneOf(['chat', 'responses']),
  headers: {
    is: 'a table of texts, by the names of headers',
    holds: (value) => isPlainTable(value) && Object.entries(value).every(isHeader),
  },
  prefix: {
    is: 'at most 32 letters, digits, "_" and "-"',
    holds: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,32}$/.test(value),
  },
  embeddings: {
    is: 'true, or the name of an embedding model in quotes',
    holds: (value) => isFlag.holds(value) || isWord(value),
  },
  models: {
    is: 'a list of names, or tables [providers.<name>.models."<model>"]',
    holds: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isWord) : isPlainTable(value)),
  },
  date: {
    is: 'a date in quotes',
    holds: (value) =>
      typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  },
  variables: {
    is: 'a table of texts, by the names of variables',
    holds: (value) => isPlainTable(value) && Object.values(value).every(isText.holds),
  },
  memory: {
    is: `true, false, or a table of recall and notes (true or false, not both false) and days (a whole number from 1 to ${maxMemoryDays})`,
    holds: isMemory,
  },
  'names-or-flag': {
    is: 'true, false, or a list of names in quotes',
    holds: (value) => isFlag.holds(value) || isTextList.holds(value),
  },
  'path-or-false': { is: 'a path in quotes, or false', holds: (value) => value === false || isWord(value) },
  port: { is: 'a whole number from 0 to 65535', holds: (value) => isWhole(value, 0, 65_535) },
}

/** A sentence with the fix for an invalid value; `undefined` for a valid one. */
export function valueProblem(
  name: string,
  key: ConfigKey,
  value: unknown,
  providers: NamedProviders,
): string | undefined {
  const { is, holds } = valueTypes[key.type]
  if (!holds(value)) return `"${name}" must be ${is}. Write for example ${name} = ${key.example}.`
  if (key.type !== 'model') return undefined
  return [value]
    .flat()
    .map((model) => modelProblem(String(model), providers))
    .find((problem) => problem !== undefined)
}

function modelProblem(name: string, providers: NamedProviders): string | undefined {
  try {
    findModel(name, providers)
    return undefined
  } catch (error) {
    if (isAgentKitError(error)) return error.message
    throw error
  }
}
