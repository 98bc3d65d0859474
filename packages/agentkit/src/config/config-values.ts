import {
  type Collaboration,
  isAgentKitError,
  type MemberHistory,
  type ModelSettings,
  type OnBusy,
} from '@agentkit/core'
import { resolveModelName } from '../models/model-name.ts'
import type { ConfigKey, ValueTypes } from './config-keys.ts'
import { isRetrievalTool, retrievalTools } from './retrieval-tool.ts'

const budgetNames: readonly string[] = ['usd', 'tokens', 'model_calls', 'tool_calls', 'seconds']
const efforts: readonly unknown[] = ['none', 'low', 'medium', 'high'] satisfies ModelSettings['reasoning'][]
const onBusyWords: readonly unknown[] = ['queue', 'reject', 'interrupt'] satisfies OnBusy[]

const collaborations: readonly unknown[] = ['manager', 'handoff', 'parallel', 'sequence'] satisfies Collaboration[]
const histories: readonly unknown[] = ['task', 'summary', 'full', 'own'] satisfies MemberHistory[]

/** A timer of more milliseconds than 32 bits hold would end at once. */
const longestSeconds = Math.floor((2 ** 31 - 1) / 1000)

/** As the retriever takes them; it need not be installed, and cannot be asked. */
export const readableExts: readonly string[] = ['.csv', '.docx', '.md', '.mdx', '.pdf', '.txt']

const isText = (value: unknown): boolean => typeof value === 'string'
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
  Object.entries(value).every(([name, most]) => budgetNames.includes(name) && typeof most === 'number' && most >= 0)

const isExt = (value: unknown): boolean =>
  typeof value === 'string' && readableExts.includes(`.${value.trim().replace(/^\./, '').toLowerCase()}`)
const isBytes = (megabytes: unknown): boolean =>
  typeof megabytes === 'number' && isWhole(Math.round(megabytes * 1e6), 1, Number.MAX_SAFE_INTEGER)

const wanted: { readonly [Type in keyof ValueTypes]: { is: string; holds(value: unknown): boolean } } = {
  text: { is: 'text in quotes', holds: isText },
  word: { is: 'text in quotes, not empty', holds: isWord },
  model: { is: "a model's name in quotes, or a list of such names", holds: isModel },
  budget: { is: `a table of numbers, 0 or more: ${budgetNames.join(', ')}`, holds: isBudget },
  busy: { is: '"queue", "reject" or "interrupt"', holds: (value) => onBusyWords.includes(value) },
  texts: { is: 'a list of texts', holds: (value) => Array.isArray(value) && value.every(isText) },
  extensions: {
    is: `a list of one or more of ${readableExts.map((ext) => `"${ext}"`).join(', ')}`,
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isExt),
  },
  flag: { is: 'true or false, without quotes', holds: (value) => typeof value === 'boolean' },
  seconds: {
    is: `a number of seconds, above 0 and at most ${longestSeconds}`,
    holds: (value) => typeof value === 'number' && value > 0 && value <= longestSeconds,
  },
  count: { is: 'a whole number, at least 1', holds: (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER) },
  'count-from-0': { is: 'a whole number, 0 or above', holds: (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER) },
  temperature: { is: 'a number, 0 or above', holds: (value) => typeof value === 'number' && value >= 0 },
  reasoning: { is: '"none", "low", "medium" or "high"', holds: (value) => efforts.includes(value) },
  'retrieval-tool': { is: `one of ${retrievalTools.map((name) => `"${name}"`).join(', ')}`, holds: isRetrievalTool },
  megabytes: { is: 'a number of megabytes, at least 0.000001', holds: isBytes },
  'parse-memory': { is: 'a number of megabytes, at least 128', holds: (value) => isWithin(value, 128, 1e6) },
  'parse-seconds': {
    is: `a number of seconds, from 1 to ${longestSeconds}`,
    holds: (value) => isWithin(value, 1, longestSeconds),
  },
  'parse-processes': { is: 'a whole number from 1 to 64', holds: (value) => isWhole(value, 1, 64) },
  collaboration: {
    is: '"manager", "handoff", "parallel" or "sequence"',
    holds: (value) => collaborations.includes(value),
  },
  history: {
    is: '"task", "summary", "full" or "own", or a whole number from 1 on',
    holds: (value) => histories.includes(value) || isWhole(value, 1, Number.MAX_SAFE_INTEGER),
  },
  port: { is: 'a whole number from 0 to 65535', holds: (value) => isWhole(value, 0, 65_535) },
}

/** What is wrong with a key's value, as a sentence that says the fix; `undefined` when nothing is. */
export function valueProblem(name: string, key: ConfigKey, value: unknown): string | undefined {
  const { is, holds } = wanted[key.type]
  if (!holds(value)) return `"${name}" must be ${is}. Write for example ${name} = ${key.example}.`
  if (key.type !== 'model') return undefined
  return [value]
    .flat()
    .map((model) => modelProblem(String(model)))
    .find((problem) => problem !== undefined)
}

function modelProblem(name: string): string | undefined {
  try {
    resolveModelName(name)
    return undefined
  } catch (error) {
    if (isAgentKitError(error)) return error.message
    throw error
  }
}
