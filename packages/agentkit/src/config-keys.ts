import { isAgentKitError, type ModelSettings, type OnBusy } from '@agentkit/core'
import { resolveModelName } from './model-name.ts'

/** One key of the configuration file. */
export type ConfigKey = {
  /** What its value must be. */
  type: keyof ValueTypes
  /** A value that is right, as TOML: what an error suggests. */
  example: string
  about: string
}

/** A `budget` in the file: US dollars, tokens, calls, seconds. */
type BudgetTable = { usd?: number; tokens?: number; model_calls?: number; tool_calls?: number; seconds?: number }

const budgetNames: readonly string[] = ['usd', 'tokens', 'model_calls', 'tool_calls', 'seconds']
const efforts: readonly unknown[] = ['none', 'low', 'medium', 'high'] satisfies ModelSettings['reasoning'][]
const onBusyWords: readonly unknown[] = ['queue', 'reject', 'interrupt'] satisfies OnBusy[]

/** What a value of each type is in TypeScript. */
type ValueTypes = {
  text: string
  word: string
  model: string | readonly string[]
  budget: BudgetTable
  busy: OnBusy
  texts: readonly string[]
  flag: boolean
  seconds: number
  count: number
  port: number
  temperature: number
  reasoning: NonNullable<ModelSettings['reasoning']>
}

/** The keys of `[defaults]` and of each agent's table. */
export const agentKeys = {
  model: {
    type: 'model',
    example: '"openai/gpt-5.4-mini"',
    about:
      'The model by name: `provider/model`, or a name whose family tells the provider. Of a list the first is preferred; where one fails, the next takes over.',
  },
  instruction: { type: 'text', example: '"You answer briefly."', about: 'What the agent is told before every chat.' },
  description: { type: 'text', example: '"Knows the weather."', about: 'What the agent is for, in a sentence.' },
  sample_prompts: {
    type: 'texts',
    example: '["What can you do?"]',
    about: 'Questions that a user interface may suggest.',
  },
  timeout: {
    type: 'seconds',
    example: '60',
    about: 'The longest silence of a model, before its first byte or between bytes. Then the attempt ends.',
  },
  tool_timeout: { type: 'seconds', example: '30', about: 'How long one call of a tool may take.' },
  temperature: { type: 'temperature', example: '0.2', about: 'How freely the model answers; 0 is the least.' },
  reasoning: {
    type: 'reasoning',
    example: '"low"',
    about: 'How much a model that reasons does so: `"none"`, `"low"`, `"medium"` or `"high"`.',
  },
  max_output_tokens: { type: 'count', example: '2000', about: 'The bound of one answer of the model, in tokens.' },
  max_steps: { type: 'count', example: '20', about: 'How many calls of the model one run may make.' },
  budget: {
    type: 'budget',
    example: '{ usd = 0.5, seconds = 120 }',
    about:
      'What one run may use up: `usd`, `tokens`, `model_calls`, `tool_calls`, `seconds`. It ends before it would pass one of them.',
  },
  on_busy: {
    type: 'busy',
    example: '"queue"',
    about:
      'What a run does when another one holds its session: `"queue"` waits, `"reject"` fails at once, `"interrupt"` ends the other one.',
  },
  enable_multi_modal: {
    type: 'flag',
    example: 'true',
    about: '`false` refuses images and files. Absent, what the model can read decides.',
  },
  environment: {
    type: 'word',
    example: '"production"',
    about: '`"production"` makes the server write its log as JSON; with any other word it is for people.',
  },
  ollama_server_url: {
    type: 'word',
    example: '"http://127.0.0.1:11434"',
    about: 'Where Ollama listens. Absent, `OLLAMA_HOST` says, else it is this machine.',
  },
} as const

/** The keys of `[server]`. */
export const serverKeys = {
  host: { type: 'word', example: '"127.0.0.1"', about: 'The address to listen on.' },
  port: { type: 'port', example: '8000', about: 'The port to listen on; 0 takes a free one.' },
  auth_tokens_env: {
    type: 'word',
    example: '"AGENTKIT_TOKENS"',
    about: 'The environment variable that holds the bearer tokens: `token=user` or `token`, with commas between them.',
  },
  cors_origins: {
    type: 'texts',
    example: '["https://app.example.com"]',
    about: 'Web origins whose pages may call the server.',
  },
} as const

/** The keys of `[sample_prompts]`. */
export const samplePromptKeys = {
  prompts: {
    type: 'texts',
    example: '["What can you do?"]',
    about: 'For every agent that has none of its own.',
  },
} as const

/** Tables that are not an agent's: no agent may have one of these as its id. */
export const reservedTables: readonly string[] = ['defaults', 'sample_prompts', 'embedding', 'retriever', 'server']

/** Reserved tables that have no effect in this version. */
export const unusedTables: readonly string[] = ['embedding', 'retriever']

/** A table that has been read and checked: only known keys, each of its type. */
type TableOf<Keys extends Record<string, ConfigKey>> = {
  readonly [Key in keyof Keys]?: ValueTypes[Keys[Key]['type']]
}
export type AgentTable = TableOf<typeof agentKeys>
export type ServerTable = TableOf<typeof serverKeys>
export type SamplePromptsTable = TableOf<typeof samplePromptKeys>

/** A timer of more milliseconds than 32 bits hold would end at once. */
const longestSeconds = Math.floor((2 ** 31 - 1) / 1000)

const isText = (value: unknown): boolean => typeof value === 'string'
const isWord = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const isWhole = (value: unknown, from: number, to: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= from && value <= to

const isModel = (value: unknown): boolean =>
  isWord(value) || (Array.isArray(value) && value.length > 0 && value.every(isWord))
const isBudget = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, most]) => budgetNames.includes(name) && typeof most === 'number' && most >= 0)

const wanted: { readonly [Type in keyof ValueTypes]: { is: string; holds(value: unknown): boolean } } = {
  text: { is: 'text in quotes', holds: isText },
  word: { is: 'text in quotes, not empty', holds: isWord },
  model: { is: "a model's name in quotes, or a list of such names", holds: isModel },
  budget: { is: `a table of numbers, 0 or more: ${budgetNames.join(', ')}`, holds: isBudget },
  busy: { is: '"queue", "reject" or "interrupt"', holds: (value) => onBusyWords.includes(value) },
  texts: { is: 'a list of texts', holds: (value) => Array.isArray(value) && value.every(isText) },
  flag: { is: 'true or false, without quotes', holds: (value) => typeof value === 'boolean' },
  seconds: {
    is: `a number of seconds, above 0 and at most ${longestSeconds}`,
    holds: (value) => typeof value === 'number' && value > 0 && value <= longestSeconds,
  },
  count: { is: 'a whole number, at least 1', holds: (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER) },
  temperature: { is: 'a number, 0 or above', holds: (value) => typeof value === 'number' && value >= 0 },
  reasoning: { is: '"none", "low", "medium" or "high"', holds: (value) => efforts.includes(value) },
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
