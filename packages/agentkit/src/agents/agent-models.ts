import { Agent as CoreAgent, type Model } from '@agentkit/core'
import { agentIdFrom } from '@agentkit/core/internal'
import type { AgentTable } from '../config/config-keys.ts'
import { misnamedConfig } from '../config/misnamed-config.ts'
import { hasUnreadConfig } from '../config/project-tests.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { isReplaying, withCassette } from '../models/cassette-model.ts'
import { findModel } from '../models/model-name.ts'
import { namedModel } from '../models/named-model.ts'
import { isProviderId, keyOf, keyVariables, type ProviderId } from '../models/providers.ts'
import { definedOnly } from '../util/defined-only.ts'
import { loadedFile } from '../util/loaded-file.ts'
import { printOnce } from '../util/print-once.ts'
import type { AgentOptions } from './options.ts'
import { milliseconds } from './shared-options.ts'

/** The providers of models, the preferred one first. */
export function chatProvidersOf(models: readonly Model[]): ProviderId[] {
  const names = models.map(({ id }) => id.slice(0, id.indexOf('/')))
  return [...new Set(names)].filter(isProviderId)
}

/**
 * The models in the order of preference.
 * @throws AgentKitError `missing-key` when a provider has no key; the message has the environment variables
 */
export function modelsOf(options: ModelOptions, settings: AgentTable, context: SDKContext): Model[] {
  const given = options.model ?? settings.model
  const list = Array.isArray(given) ? given : [given]
  // A model that is listed twice stays the same object, which core refuses.
  const created = new Map<unknown, Model>()
  return list.map((one) => {
    const model = created.get(one) ?? modelOf(one, options, settings, context)
    if (typeof one === 'object') created.set(one, model)
    return model
  })
}

function modelOf(
  model: string | Model | undefined,
  options: ModelOptions,
  settings: AgentTable,
  context: SDKContext,
): Model {
  const timeoutMs = milliseconds(settings.timeout)
  if (model !== undefined && typeof model !== 'string') {
    // Core refuses an object that is not a model.
    if (timeoutMs === undefined || typeof model?.stream !== 'function') return withCassette(model)
    if (model.withDefaultTimeout) return withCassette(model.withDefaultTimeout(timeoutMs))
    return withEventTimeout(withCassette(model), model.eventTimeoutMs ?? options.modelTimeoutMs ?? timeoutMs)
  }
  const modelSettings = definedOnly({
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    ollamaServerUrl: settings.ollama_server_url,
    providers: context.config.providers,
    hint: model === undefined ? whyNoModel(agentOf(options), context) : undefined,
  })
  const name = model ?? standIn()
  const named = afterOtherChecks(() => namedModel(name, modelSettings), options)
  if (named.id.startsWith('openai/gpt-oss') && process.env.GROQ_API_KEY) {
    context.warn(`The model "${named.id}" is called at OpenAI. For Groq write "groq/${named.id}".`)
  }
  return withCassette(named)
}

/** Why the configuration names no model for an agent, where it seems that it should. */
function whyNoModel(agent: ReturnType<typeof agentOf>, context: SDKContext): string | undefined {
  const { path } = context.config
  if (hasUnreadConfig(path)) return unreadConfig
  return path === undefined ? misnamedConfig() : context.misspeltTable(agent)
}

/** The offline model, with a printed notice, for interactive commands when neither a model nor a key is set. */
function standIn(): string | undefined {
  const expected = loadedFile()?.standIn
  if (!expected || keyOf('openai') !== undefined || isReplaying()) return undefined
  if (expected !== 'silent') {
    printOnce(
      `No model and no key is set: the answers are those of ${offlineModel}, which is not a language model. Set ${keyVariables.openai.join(' or ')} in .env, or model = "…" in agentkit_config.toml.`,
    )
  }
  return offlineModel
}

const offlineModel = 'offline/extractive'

/** Explains why the file is not read, because it may name a model. */
const unreadConfig = "Tests do not read agentkit_config.toml: pass configPath: 'agentkit_config.toml', or a model."

/** Whether the configuration says that the preferred model reads no images. */
export function readsNoImages(
  { model }: Pick<ModelOptions, 'model'>,
  settings: AgentTable,
  { config }: SDKContext,
): boolean {
  const [preferred] = [model ?? settings.model].flat()
  if (typeof preferred !== 'string') return false
  const { model: name, named } = findModel(preferred, config.providers)
  return named?.models?.get(name)?.images === false
}

/** A model without timers of its own: core bounds the time between its events. */
function withEventTimeout(model: Model, eventTimeoutMs: number): Model {
  const bounded: Model = {
    id: model.id,
    eventTimeoutMs,
    stream: (request, signal) => model.stream(request, signal),
    ...(model.load && { load: async () => void (await model.load?.()) }),
  }
  // A lazy model sets `info` when it loads.
  return Object.defineProperty(bounded, 'info', { get: () => model.info, enumerable: true })
}

/** Reports errors in the code before a missing key, which would not fix them. */
function afterOtherChecks<Named>(make: () => Named, { name, functions }: ModelOptions): Named {
  try {
    return make()
  } catch (error) {
    const model: Model = {
      id: 'none/none',
      stream() {
        throw error
      },
    }
    new CoreAgent({ name, functions: functions ?? [], model })
    throw error
  }
}

function agentOf({ name, id }: ModelOptions): { name: string; id: string } {
  return { name, id: agentIdFrom(name, id) }
}

type ModelOptions = Pick<AgentOptions, 'name' | 'id' | 'functions' | 'model' | 'modelTimeoutMs'>
