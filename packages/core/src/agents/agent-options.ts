import { type CacheOption, isCacheOption } from '../contracts/cache-option.ts'
import type { Knowledge } from '../contracts/knowledge.ts'
import type { MemoryOf } from '../contracts/memory.ts'
import type { Model } from '../contracts/model.ts'
import { checkModelSettings, type ModelSettings, settingRules } from '../contracts/model-settings.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { StandardSchema } from '../contracts/standard-schema.ts'
import type { Budget } from '../data/budget.ts'
import { invalidArgument, invalidConfig } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { RunRecord } from '../data/run-record.ts'
import { limits } from '../limits.ts'
import { checkBudget } from '../policies/budget.ts'
import { checkHooks, type Hooks } from '../policies/hooks.ts'
import { checkGuardOptions, type GuardOptions } from '../policies/loop-detection.ts'
import { checkPrices, type Prices } from '../policies/price.ts'
import { checkRetry, type RetryOptions } from '../policies/retry.ts'
import { checkOutput } from '../schema/structured-output.ts'
import type { ToolLike } from '../tools/define-tool.ts'
import {
  checkOptions,
  hasMethod,
  isAny,
  isApprovalDays,
  isCount,
  isFunction,
  isMilliseconds,
  isOneOf,
  isText,
  isTextList,
  type OptionRules,
} from '../util/options/check-options.ts'
import { foreignModel } from '../util/options/foreign-values.ts'
import { agentWords } from '../util/options/foreign-words.ts'
import { checkModelInfo } from './model-info.ts'

/** The options of an agent: its name, instruction, functions and model, and the limits of its runs. */
export type AgentOptions<Output = undefined> = {
  /** The name of the agent, such as `Research Team`. */
  name: string
  /** The functions that the model may call; default none. */
  functions?: readonly ToolLike[] | undefined
  /** A model, or several in the order of preference: when one fails, the next takes over. */
  model: Model | readonly Model[]
  /** The id of the agent, which its sessions belong to. Default: derived from the name, `Research Team` → `research-team`. */
  id?: string | undefined
  /** What the agent is for and how it behaves: the system message. */
  instruction?: string | undefined
  /** What the agent is good at, for other agents. */
  description?: string | undefined
  /**
   * The version of the agent. It is stored with each run; a run that another version continues has a warning. Default: a
   * hash of its instruction, and of the names and schemas of its tools.
   */
  version?: string | undefined
  /** Example questions for a user interface. */
  samplePrompts?: readonly string[] | undefined
  /**
   * The schema of the answer: `result.output` is a value that the schema has validated. A Standard Schema (zod, valibot,
   * arktype, …) also defines the type of `result.output`.
   */
  output?: StandardSchema<unknown, Output> | JSONSchema | undefined
  /** How much answers vary: 0 is the least; the provider sets the maximum. */
  temperature?: number | undefined
  /** How much the model thinks before it answers. */
  reasoning?: NonNullable<ModelSettings['reasoning']> | undefined
  /** The maximum length of one answer, in tokens. */
  maxOutputTokens?: number | undefined
  /** Other settings of the model: `stop`, `toolChoice`, … Set each setting once: here or as an option of the agent. */
  modelSettings?: ModelSettings | undefined
  /**
   * Whether providers cache the beginning of a prompt that later requests repeat: `"auto"` (the default), `"off"`, or
   * `{ key }` with 1 to 64 characters, for providers that route requests by a key; the default key is a hash of agent,
   * version and session. With a cache, a run warns when a request does not begin with the previous one.
   */
  cache?: CacheOption | undefined
  /** The limits of a run, together with all runs that it starts; default none. */
  budget?: Budget | undefined
  /** Prices by `provider/model`, which override those of provider packages. */
  prices?: Prices | undefined
  /** When the model of a run that repeats itself gets a note (default: at the 4th time) and the run ends (at the 6th). `false`: never. */
  guard?: GuardOptions | false | undefined
  /** Retries of a failing model call; default 4 attempts. */
  retry?: RetryOptions | undefined
  /** Files or other knowledge. The agent syncs it before the first answer, and adds its tools to the functions. */
  knowledge?: Knowledge | undefined
  /** What the agent remembers of its users, created by `createMemory()` of `@agentkit/memory`. Default none. */
  memory?: MemoryOf | undefined
  /** Functions that may change or block messages, calls and results of a run. */
  hooks?: Hooks | undefined
  /** What a run does when its session is busy: wait (`"queue"`, the default), fail (`"reject"`), or abort the other runs (`"interrupt"`). */
  onBusy?: OnBusy | undefined
  /** The maximum number of model calls in one run; default 20. */
  maxSteps?: number | undefined
  /** How long one tool call may take, in milliseconds; default 30,000. */
  toolTimeoutMs?: number | undefined
  /**
   * The longest time between two events of a model, in milliseconds; default 900,000. Provider packages have shorter
   * limits of their own.
   */
  modelTimeoutMs?: number | undefined
  /** The deadline of a whole run, in milliseconds; default none. */
  timeoutMs?: number | undefined
  /**
   * How many tools a client may add to a run, by `clientTools` of the run, `/ui/chat` or `/agui`; default none. The client
   * executes them. They are offered to the agent's own model, not to members.
   */
  clientTools?: { max: number } | undefined
  /** For how many days an approval can be decided; default 30, at most 365. After that, its run fails with the code `approval`. */
  approvalDays?: number | undefined
  /**
   * Called with each stored run that has ended or waits, if the store has runs (on disk, in Postgres). It is called at least
   * once, also after a crash, in the process of the run or in a worker. When it throws, or does not return within 30 s, it
   * is called again, after growing waits, for 24 hours.
   */
  onRunEnd?: ((run: RunRecord) => void | Promise<void>) | undefined
  /** The store of conversations; default in memory. */
  sessions?: SessionStore | undefined
}

export const busyWords: readonly OnBusy[] = ['queue', 'reject', 'interrupt']

export const agentRules: OptionRules<AgentOptions> = {
  name: isAny,
  functions: {
    is: 'a list of tools, which may be empty: [weather]. A tool set is an item of it',
    holds: Array.isArray,
  },
  model: isAny,
  id: isAny,
  instruction: {
    is: 'a text. For another one in each run, create an agent per request, or change the messages in `hooks: { beforeModel }`',
    holds: isText.holds,
  },
  description: isText,
  version: isText,
  samplePrompts: isTextList,
  output: checkOutput,
  temperature: settingRules.temperature,
  reasoning: settingRules.reasoning,
  maxOutputTokens: settingRules.maxOutputTokens,
  modelSettings: checkModelSettings,
  cache: isCacheOption,
  budget: checkBudget,
  prices: checkPrices,
  guard: checkGuardOptions,
  retry: checkRetry,
  knowledge: hasMethod('tools', 'made by a retriever, such as createRetriever({ folder })'),
  memory: {
    is: 'made by createMemory() of @agentkit/memory; what keeps a conversation is `sessionId` of a run',
    holds: (value) => typeof value === 'function',
  },
  hooks: checkHooks,
  onBusy: isOneOf(busyWords),
  maxSteps: isCount,
  toolTimeoutMs: isMilliseconds,
  modelTimeoutMs: isMilliseconds,
  timeoutMs: isMilliseconds,
  clientTools: {
    is: `{ max }, a whole number from 1 to ${limits.mostClientTools}`,
    holds: (value) => isRecord(value) && Object.keys(value).join() === 'max' && isWithin(value.max),
  },
  approvalDays: isApprovalDays,
  onRunEnd: isFunction,
  sessions: hasMethod('begin', 'a SessionStore: memorySessions(), or sqliteSessions(path) of @agentkit/sessions'),
}

function isWithin(max: unknown): boolean {
  return Number.isInteger(max) && Number(max) >= 1 && Number(max) <= limits.mostClientTools
}

/** @throws AgentKitError `invalid-argument` for an unknown or invalid option, with the fix */
export function checkAgentOptions<Output>(options: AgentOptions<Output>): void {
  checkOptions(options, agentRules, { words: agentWords })
  checkSettingsOnce(options)
}

type DirectSettings = Pick<AgentOptions, 'temperature' | 'reasoning' | 'maxOutputTokens' | 'modelSettings'>

/** @throws AgentKitError `invalid-config` for a setting that is both an option and in `modelSettings` */
export function checkSettingsOnce({ modelSettings, ...options }: DirectSettings): void {
  const twice = directSettings.find((name) => options[name] !== undefined && modelSettings?.[name] !== undefined)
  if (twice) throw invalidConfig(`\`${twice}\` is an option and in \`modelSettings\` too. Leave one of them out.`)
}

/** The settings of an agent's model, from checked options. */
export function modelSettingsOf({ modelSettings, ...options }: DirectSettings): ModelSettings {
  const direct = directSettings.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))
  return { ...modelSettings, ...Object.fromEntries(direct) }
}

const directSettings = ['temperature', 'reasoning', 'maxOutputTokens'] as const

/** The models of an agent, the preferred one first. */
export function checkModels(model: Model | readonly Model[]): readonly Model[] {
  const models = Array.isArray(model) ? [...model] : [model]
  for (const one of models) checkNotForeign(one)
  if (typeof models[0] === 'string') {
    throw invalidArgument(
      '`model` is a name: the Agent of the package `agentkit` takes names, that of @agentkit/core a Model.',
    )
  }
  if (models.length === 0 || models.some((model) => typeof model?.stream !== 'function')) {
    throw invalidArgument('Pass `model`: an object such as openai().model("gpt-5.4-mini"), or a list of them.')
  }
  if (models.some(({ id }) => typeof id !== 'string')) {
    throw invalidArgument('`model` has no `id`. Give your Model one, such as "own/echo".')
  }
  // The facts of a model that is loaded later are not known yet.
  for (const one of models) if (!one.load) checkModelInfo(one)
  if (new Set(models).size < models.length) throw invalidArgument('`model` lists the same model twice. Leave one out.')
  return models
}

/** @throws AgentKitError `invalid-argument` for a model, provider or client of another library, with the fix */
export function checkNotForeign(model: unknown): void {
  const foreign = foreignModel(model)
  if (foreign) throw invalidArgument(`\`model\` cannot be used: ${foreign}.`)
}
