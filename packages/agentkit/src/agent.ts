import {
  AgentKitError,
  type AgentRun,
  agentIdFrom,
  type Budget,
  Agent as CoreAgent,
  type AgentOptions as CoreOptions,
  type InputPart,
  type Knowledge,
  type Model,
  type ModelSettings,
  type RunOptions,
  type SessionStore,
} from '@agentkit/core'
import type { AgentServer } from '@agentkit/server'
import { agentKnowledge } from './agent-knowledge.ts'
import { onCassette } from './cassette-model.ts'
import { checkOptions } from './check-options.ts'
import type { AgentTable } from './config-keys.ts'
import { definedOnly } from './defined-only.ts'
import { keepSynced } from './keep-synced.ts'
import { namedModel } from './named-model.ts'
import { isProviderId, type ProviderId } from './providers.ts'
import type { RetrievalTool } from './retrieval-tool.ts'
import type { RetrieverOptions } from './retriever-options.ts'
import { SDKContext } from './sdk-context.ts'
import { type ServeOptions, serveAgent, serveOptions } from './serve-agent.ts'

/** What is absent here comes from the agent's table in the configuration, then from `[defaults]`, then is built in. */
export type AgentOptions<Output = undefined> = Omit<CoreOptions<Output>, 'model' | 'sessions' | 'knowledge'> & {
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

/**
 * An agent with all that belongs to it: the configuration file, models by name, sessions on disk, and a server.
 *
 * An option counts before the agent's table in the configuration, that before `[defaults]`, that before the
 * environment. Without `sdkContext` the agent makes a context of its own and closes it.
 *
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], instruction: 'You answer briefly.' })
 * console.log(await agent.chat('Do I need an umbrella in Oslo?'))
 * await agent.run() // http://127.0.0.1:8000
 */
export class Agent<Output = undefined> extends CoreAgent<Output> {
  /** The context that was passed, or the agent's own. */
  readonly sdkContext: SDKContext
  readonly #ownContext: boolean
  readonly #models: readonly Model[]
  readonly #multiModal: boolean
  readonly #production: boolean

  /**
   * @throws AgentKitError `invalid-argument` when a name, id, tool or number cannot be used, with the fix
   * @throws AgentKitError `invalid-config` for a configuration that is wrong, and for `sdkContext` beside `configPath`
   * @throws AgentKitError `missing-key` when the model's provider has no key, naming the environment variables
   */
  constructor(options: AgentOptions<Output>) {
    checkOptions(options)
    const { sdkContext, configPath: _, enableMultiModal, model, sessions, ...rest } = options
    const { retrieve, requiredExts, retrievalTool, retriever, ...own } = rest
    const context = contextOf(options)
    const settings = context.settingsOf({ name: own.name, id: agentIdFrom(own.name, own.id) })
    const models = modelsOf(options, settings, context)
    const files = definedOnly({ retrieve, requiredExts, retrievalTool, retriever })
    const knowledge = agentKnowledge(files, settings, chatProvidersOf(models), context)
    super({
      ...own,
      ...(knowledge && { knowledge }),
      model: models,
      sessions: sessionsOf(sessions, context),
      ...definedOnly({
        instruction: own.instruction ?? settings.instruction,
        description: own.description ?? settings.description,
        samplePrompts: own.samplePrompts ?? settings.sample_prompts,
        modelSettings: { ...modelSettingsOf(settings), ...own.modelSettings },
        maxSteps: own.maxSteps ?? settings.max_steps,
        toolTimeoutMs: own.toolTimeoutMs ?? milliseconds(settings.tool_timeout),
        budget: own.budget ?? budgetOf(settings),
        onBusy: own.onBusy ?? settings.on_busy,
      }),
    })
    this.sdkContext = context
    this.#ownContext = sdkContext === undefined
    this.#models = models
    this.#multiModal = enableMultiModal ?? settings.enable_multi_modal ?? true
    this.#production = (settings.environment ?? process.env.NODE_ENV) === 'production'
  }

  /** @throws AgentKitError `invalid-argument` for an image or a file where `enable_multi_modal` is `false` */
  override async chat(input: string | InputPart[], options?: RunOptions): Promise<string> {
    this.#begin(input)
    return super.chat(input, options)
  }

  /** @throws AgentKitError `invalid-argument` for an image or a file where `enable_multi_modal` is `false` */
  override stream(input: string | InputPart[], options?: RunOptions): AgentRun<Output> {
    this.#begin(input)
    return super.stream(input, options)
  }

  /**
   * Serves the agent over HTTP, says where, and owns the process: SIGTERM and SIGINT end what is running and close the agent.
   *
   * @param options beat those of `[server]`; default http://127.0.0.1:8000
   * @throws AgentKitError `missing-package` when the model's provider is not installed
   * @throws AgentKitError `invalid-config` for an address that cannot be served, or tokens that are not there
   */
  async run(options: ServeOptions = {}): Promise<AgentServer> {
    this.sdkContext.warnOfStrayTables()
    await Promise.all(this.#models.map((model) => model.load?.()))
    const server = await serveAgent(this, serveOptions(options, this.sdkContext.config.server, this.#production))
    if (this.knowledge) void keepSynced(this.knowledge, this.#production)
    return server
  }

  /** Closes the agent's own context, if it made one. */
  override async close(): Promise<void> {
    await super.close()
    if (this.#ownContext) await this.sdkContext.close()
  }

  #begin(input: string | InputPart[]): void {
    this.sdkContext.warnOfStrayTables()
    if (this.#multiModal || !Array.isArray(input)) return
    const refused = input.find((part) => part.type !== 'text')
    if (!refused) return
    throw new AgentKitError(
      'invalid-argument',
      `The agent "${this.id}" takes no ${refused.type}s: \`enable_multi_modal\` is false. Set it to true to allow them.`,
    )
  }
}

function contextOf({ sdkContext, configPath }: { sdkContext?: SDKContext; configPath?: string }): SDKContext {
  if (sdkContext && configPath !== undefined) {
    throw new AgentKitError(
      'invalid-config',
      'Pass `sdkContext` or `configPath`, not both: a context has its own file.',
    )
  }
  return sdkContext ?? new SDKContext(definedOnly({ configPath }))
}

/** Whose models they are, the preferred one's first. */
function chatProvidersOf(models: readonly Model[]): ProviderId[] {
  const names = models.map(({ id }) => id.slice(0, id.indexOf('/')))
  return [...new Set(names)].filter(isProviderId)
}

/** The models in the order of preference. */
function modelsOf(
  { name, functions, model }: Pick<AgentOptions, 'name' | 'functions' | 'model'>,
  settings: AgentTable,
  context: SDKContext,
): Model[] {
  const wanted = model ?? settings.model
  const list = Array.isArray(wanted) ? wanted : [wanted]
  return list.map((one) => onCassette(modelOf(one, { name, functions }, settings, context)))
}

function modelOf(
  model: string | Model | undefined,
  options: Pick<AgentOptions, 'name' | 'functions'>,
  settings: AgentTable,
  context: SDKContext,
): Model {
  const silence = milliseconds(settings.timeout)
  if (model !== undefined && typeof model !== 'string') {
    if (silence !== undefined) {
      context.warn(`\`timeout\` does not reach ${model.id}, which was made apart. Pass its factory the timeouts.`)
    }
    return model
  }
  const modelSettings = definedOnly({
    firstByteTimeoutMs: silence,
    idleTimeoutMs: silence,
    ollamaServerUrl: settings.ollama_server_url,
  })
  const named = keylessLast(() => namedModel(model, modelSettings), options)
  if (named.id.startsWith('openai/gpt-oss') && process.env.GROQ_API_KEY) {
    context.warn(`The model "${named.id}" is asked of OpenAI. For Groq write "groq/${named.id}".`)
  }
  return named
}

function modelSettingsOf({ temperature, reasoning, max_output_tokens }: AgentTable): ModelSettings {
  return definedOnly({ temperature, reasoning, maxOutputTokens: max_output_tokens })
}

function budgetOf({ budget }: AgentTable): Budget | undefined {
  if (!budget) return undefined
  const { usd, tokens, model_calls, tool_calls, seconds } = budget
  return definedOnly({ usd, tokens, modelCalls: model_calls, toolCalls: tool_calls, seconds })
}

/** A key that is missing is told after what is wrong in the code: a key does not mend it. */
function keylessLast<Named>(make: () => Named, { name, functions }: Pick<AgentOptions, 'name' | 'functions'>): Named {
  try {
    return make()
  } catch (error) {
    const model: Model = {
      id: 'none/none',
      stream() {
        throw error
      },
    }
    new CoreAgent({ name, functions, model })
    throw error
  }
}

function sessionsOf(sessions: SessionStore | string | undefined, context: SDKContext): SessionStore {
  return typeof sessions === 'object' ? sessions : context.sessionsAt(sessions)
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000)
}
