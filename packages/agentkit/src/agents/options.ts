import type {
  AgentOptions as CoreAgentOptions,
  SwarmOptions as CoreSwarmOptions,
  Member,
  MemoryOptions,
  Model,
  SessionStore,
} from '@agentkit/core'
import {
  agentIdFrom,
  agentRules,
  agentWords,
  checkNotForeign,
  checkOptions,
  checkSettingsOnce,
  type ForeignWords,
  hasMethod,
  invalidArgument,
  isAny,
  isFlag,
  isOneOf,
  isRecord,
  isText,
  type OptionRules,
  retrievalTools,
  swarmWords,
} from '@agentkit/core/internal'
import { isConfigPath } from '../config/read-config.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import type { KnowledgeOptions } from '../knowledge/knowledge-options.ts'
import type { KnownModelName } from '../models/known-models.ts'

/** Any name; editors complete those that are known. */
type ModelName = KnownModelName | (string & {})

/** An absent option is read from the agent's table in the configuration, then from `[defaults]`; then the built-in default applies. */
export type AgentOptions<Output = undefined> = Omit<
  CoreAgentOptions<Output>,
  'model' | 'sessions' | 'knowledge' | 'memory'
> &
  KnowledgeOptions & {
    /** The context that the agent shares with others. The agent does not close it. */
    sdkContext?: SDKContext | undefined
    /** The TOML file of a context of the agent's own. */
    configPath?: string | undefined
    /**
     * A name, as `resolveModelName` accepts it, or a model of a provider package; default: OpenAI's, if its key is set.
     * Of a list the first is preferred; when one fails, the next takes over.
     */
    model?: ModelName | Model | readonly (ModelName | Model)[] | undefined
    /** `false` refuses images and files. By default the model's abilities decide. */
    enableMultiModal?: boolean | undefined
    /** The agent's memory of its users, by `@agentkit/memory`: `true`, or the parts of it; default none. */
    memory?: boolean | MemoryOptions | undefined
    /** The session store, the path of a SQLite file (default `agentkit-data/sessions.db`), or `postgres://…`. */
    sessions?: SessionStore | string | undefined
  }

/** An absent option is read from the swarm's table in the configuration, then from `[defaults]`; then the built-in default applies. */
export type SwarmOptions<Output = undefined> = AgentOptions<Output> &
  Pick<CoreSwarmOptions<Output>, 'collaboration' | 'history'> & {
    /** The members. By default the configuration defines them: those in the swarm's table, otherwise every other table. */
    agents?: readonly Member[] | undefined
  }

/** @throws AgentKitError `invalid-argument` for an option that does not exist or cannot be used, with the fix */
export function checkAgentOptions<Output>(options: AgentOptions<Output>): void {
  check(options, optionRules, agentWords)
}

/** @throws AgentKitError `invalid-argument` for an option that does not exist or cannot be used, with the fix */
export function checkSwarmOptions<Output>(options: SwarmOptions<Output>): void {
  check(options, swarmRules, swarmWords)
}

function check(
  options: Pick<AgentOptions, 'name' | 'id' | 'temperature' | 'reasoning' | 'maxOutputTokens' | 'modelSettings'>,
  rules: OptionRules<Record<string, unknown>>,
  words: ForeignWords,
): void {
  // Options without a name are mostly no options at all.
  agentIdFrom(options?.name, options?.id)
  checkOptions(options, rules, { words })
  checkSettingsOnce(options)
}

const { knowledge: _, memory: _memory, ...coreRules } = agentRules

const optionRules: OptionRules<AgentOptions> = {
  ...coreRules,
  sdkContext: hasMethod('settingsOf', 'a context: new SDKContext({ configPath })'),
  configPath: isConfigPath,
  model: checkModel,
  enableMultiModal: isFlag,
  sessions: {
    is: 'the path of a file, postgres://…, or a SessionStore',
    holds: (value) => isText.holds(value) || hasMethod('begin', '').holds(value),
  },
  memory: {
    is: 'true, or an object of options, such as { days: 365 }; what keeps a conversation is `sessionId` of a run',
    holds: (value) => isFlag.holds(value) || isRecord(value),
  },
  retrieve: isFlag,
  requiredExts: isAny,
  retrievalTool: isOneOf(retrievalTools),
  retriever: {
    is: 'an object of options, such as { folder: "docs" }, or made by createRetriever(). A search of your own is a tool in `functions`',
    holds: (value) => hasMethod('tools', '').holds(value) || isOptions(value),
  },
}

const swarmRules: OptionRules<SwarmOptions> = { ...optionRules, agents: isAny, collaboration: isAny, history: isAny }

/** The retriever of another library is often an object of a class: without fields of its own it would be no options. */
function isOptions(value: unknown): boolean {
  if (!isRecord(value) || hasMethod('retrieve', '').holds(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Also of another realm, such as a test's, whose `Object` is another one.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function checkModel(value: unknown): void {
  const models: unknown[] = Array.isArray(value) ? value : [value]
  for (const model of models) checkNotForeign(model)
  if (models.length > 0 && models.every(isModel)) return
  throw invalidArgument(
    '`model` is a name, such as "openai/gpt-5.4-mini", or a Model, such as openai().model("gpt-5.4-mini"), or a list of these. A Model of your own has an `id` and a `stream`.',
  )
}

function isModel(value: unknown): boolean {
  if (typeof value === 'string') return true
  return isRecord(value) && typeof value.id === 'string' && typeof value.stream === 'function'
}
