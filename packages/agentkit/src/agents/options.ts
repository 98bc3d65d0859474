import {
  AgentKitError,
  type AgentOptions as CoreAgentOptions,
  type SwarmOptions as CoreSwarmOptions,
  type Knowledge,
  type Member,
  type Model,
  type SessionStore,
} from '@agentkit/core'
import { agentIdFrom, checkOptionNames } from '@agentkit/core/internal'
import { isRetrievalTool, type RetrievalTool, retrievalTools } from '../config/retrieval-tool.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import type { RetrieverOptions } from '../knowledge/retriever-options.ts'
import { nearestWord } from '../util/nearest-word.ts'

/** An absent option is read from the agent's table in the configuration, then from `[defaults]`; then the built-in default applies. */
export type AgentOptions<Output = undefined> = Omit<CoreAgentOptions<Output>, 'model' | 'sessions' | 'knowledge'> & {
  /** The context that the agent shares with others. The agent does not close it. */
  sdkContext?: SDKContext
  /** The TOML file of a context of the agent's own. */
  configPath?: string
  /**
   * A name, as `resolveModelName` accepts it, or a model of a provider package; default: OpenAI's, if its key is set.
   * Of a list the first is preferred; when one fails, the next takes over.
   */
  model?: string | Model | readonly (string | Model)[]
  /** `false` refuses images and files. By default the model's abilities decide. */
  enableMultiModal?: boolean
  /** The session store, or the path of a SQLite file (default `agentkit-data/sessions.db`). */
  sessions?: SessionStore | string
  /** Whether the agent answers from files and cites them; default: whether there is a `retriever`. */
  retrieve?: boolean
  /** Only files with these extensions; default all six: `.md`, `.mdx`, `.txt`, `.csv`, `.docx`, `.pdf`. */
  requiredExts?: readonly string[]
  /** The kind of index; default `"basic"`, which needs no other package. */
  retrievalTool?: RetrievalTool
  /** Options such as folder and index, which override `[retriever]`; or a retriever, which the agent does not close. */
  retriever?: RetrieverOptions | Knowledge
}

/** An absent option is read from the swarm's table in the configuration, then from `[defaults]`; then the built-in default applies. */
export type SwarmOptions<Output = undefined> = Omit<AgentOptions<Output>, 'functions'> &
  Pick<CoreSwarmOptions<Output>, 'functions' | 'collaboration' | 'history'> & {
    /** The members. By default the configuration defines them: those in the swarm's table, otherwise every other table. */
    agents?: readonly Member[]
  }

/** @throws AgentKitError `invalid-argument` for a value that TypeScript would reject, with the fix */
export function checkOptions<Output>(options: AgentOptions<Output>): void {
  checkNames(options, optionNames)
  checkValues(options)
}

/** Checks the options of a swarm likewise. */
export function checkSwarmOptions<Output>(options: SwarmOptions<Output>): void {
  checkNames(options, swarmOptionNames)
  checkValues(options)
}

function checkNames(options: { name: string; id?: string }, known: Readonly<Record<string, true>>): void {
  // Checked first: options without a name are usually no options at all.
  agentIdFrom(options?.name, options?.id)
  checkOptionNames(options, known, { code: 'invalid-argument', nearest: nearestWord })
}

function invalid(problem: string): AgentKitError {
  return new AgentKitError('invalid-argument', problem)
}

function checkValues(options: Omit<AgentOptions, 'functions' | 'output'>): void {
  const { model, sessions, sdkContext, enableMultiModal } = options
  const isModel = (one: unknown): boolean =>
    typeof one === 'string' || (typeof one === 'object' && one !== null && 'stream' in one)
  if (model !== undefined && !(Array.isArray(model) ? model.length > 0 && model.every(isModel) : isModel(model))) {
    throw invalid(
      '`model` is a name, such as "openai/gpt-5.4-mini", or a Model, such as openai().model("gpt-5.4-mini"), or a list of these.',
    )
  }
  if (sessions !== undefined && typeof sessions !== 'string' && typeof sessions?.begin !== 'function') {
    throw invalid('`sessions` is the path of a file, or a SessionStore.')
  }
  if (sdkContext !== undefined && typeof sdkContext?.settingsOf !== 'function') {
    throw invalid('`sdkContext` is a context: new SDKContext({ configPath }).')
  }
  if (options.retrieve !== undefined && typeof options.retrieve !== 'boolean') {
    throw invalid('`retrieve` is true or false.')
  }
  if (options.retrievalTool !== undefined && !isRetrievalTool(options.retrievalTool)) {
    throw invalid(`\`retrievalTool\` "${options.retrievalTool}" is unknown. There are: ${retrievalTools.join(', ')}.`)
  }
  if (options.retriever !== undefined && (typeof options.retriever !== 'object' || options.retriever === null)) {
    throw invalid(
      '`retriever` is an object of options, such as { folder: "docs" }, or a retriever of createRetriever().',
    )
  }
  if (enableMultiModal !== undefined && typeof enableMultiModal !== 'boolean') {
    throw invalid('`enableMultiModal` is true or false.')
  }
}

/** Every option, to find misspelt ones at run time. */
const optionNames = {
  name: true,
  functions: true,
  id: true,
  instruction: true,
  description: true,
  sdkContext: true,
  configPath: true,
  model: true,
  enableMultiModal: true,
  timeoutMs: true,
  samplePrompts: true,
  output: true,
  budget: true,
  prices: true,
  guard: true,
  retry: true,
  hooks: true,
  onBusy: true,
  modelSettings: true,
  maxSteps: true,
  toolTimeoutMs: true,
  modelTimeoutMs: true,
  sessions: true,
  retrieve: true,
  requiredExts: true,
  retrievalTool: true,
  retriever: true,
} satisfies Record<keyof AgentOptions, true>

const swarmOptionNames = {
  ...optionNames,
  agents: true,
  collaboration: true,
  history: true,
} satisfies Record<keyof SwarmOptions, true>
