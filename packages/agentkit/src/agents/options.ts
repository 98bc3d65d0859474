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

/** What is absent here comes from the agent's table in the configuration, then from `[defaults]`, then is built in. */
export type AgentOptions<Output = undefined> = Omit<CoreAgentOptions<Output>, 'model' | 'sessions' | 'knowledge'> & {
  /** The context that the agent shares with others; whoever made it closes it. */
  sdkContext?: SDKContext
  /** The TOML file of a context of the agent's own. */
  configPath?: string
  /**
   * By name, as `resolveModelName` takes it, or a provider package's model; default OpenAI's, where its key is set.
   * Of several the first is preferred; where one fails, the next takes over.
   */
  model?: string | Model | readonly (string | Model)[]
  /** `false` refuses images and files. Absent, what the model can read decides. */
  enableMultiModal?: boolean
  /** Where conversations are kept: the path of a SQLite file (default `agentkit-data/sessions.db`), or a store. */
  sessions?: SessionStore | string
  /** Whether the agent answers from files, and cites them; default when there is a `retriever`. */
  retrieve?: boolean
  /** Only files with these extensions; default all six: `.md`, `.mdx`, `.txt`, `.csv`, `.docx`, `.pdf`. */
  requiredExts?: readonly string[]
  /** What the files are searched with; default `"basic"`, which needs nothing else. */
  retrievalTool?: RetrievalTool
  /** The folder, the index and the rest, before what `[retriever]` says; or a retriever that its giver closes. */
  retriever?: RetrieverOptions | Knowledge
}

/** What is absent here comes from the swarm's table in the configuration, then from `[defaults]`, then is built in. */
export type SwarmOptions<Output = undefined> = Omit<AgentOptions<Output>, 'functions'> &
  Pick<CoreSwarmOptions<Output>, 'functions' | 'collaboration' | 'history'> & {
    /** The members. Absent, the configuration makes them: those that the swarm's table lists, else every other table. */
    agents?: readonly Member[]
  }

/** @throws AgentKitError `invalid-argument` for what TypeScript would have refused, with the fix */
export function checkOptions<Output>(options: AgentOptions<Output>): void {
  checkNames(options, optionNames)
  checkValues(options)
}

/** The same of a swarm's. */
export function checkSwarmOptions<Output>(options: SwarmOptions<Output>): void {
  checkNames(options, swarmOptionNames)
  checkValues(options)
}

function checkNames(options: { name: string; id?: string }, known: Readonly<Record<string, true>>): void {
  // What has no name has mostly no options at all.
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
    throw invalid('`sdkContext` is made by new SDKContext({ configPath }).')
  }
  if (options.retrieve !== undefined && typeof options.retrieve !== 'boolean') {
    throw invalid('`retrieve` is true or false.')
  }
  if (options.retrievalTool !== undefined && !isRetrievalTool(options.retrievalTool)) {
    throw invalid(`There is no \`retrievalTool\` "${options.retrievalTool}". There are: ${retrievalTools.join(', ')}.`)
  }
  if (options.retriever !== undefined && (typeof options.retriever !== 'object' || options.retriever === null)) {
    throw invalid('`retriever` is an object of options, such as { folder: "docs" }, or made by createRetriever().')
  }
  if (enableMultiModal !== undefined && typeof enableMultiModal !== 'boolean') {
    throw invalid('`enableMultiModal` is true or false.')
  }
}

/** Every option that there is, for those who have no compiler to tell them of a misspelt one. */
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
