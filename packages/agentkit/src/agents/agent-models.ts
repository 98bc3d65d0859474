import { Agent as CoreAgent, type Model } from '@agentkit/core'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { withCassette } from '../models/cassette-model.ts'
import { namedModel } from '../models/named-model.ts'
import { isProviderId, type ProviderId } from '../models/providers.ts'
import { definedOnly } from '../util/defined-only.ts'
import type { AgentOptions } from './options.ts'
import { milliseconds } from './shared-options.ts'

/** Whose models they are, the preferred one's first. */
export function chatProvidersOf(models: readonly Model[]): ProviderId[] {
  const names = models.map(({ id }) => id.slice(0, id.indexOf('/')))
  return [...new Set(names)].filter(isProviderId)
}

/**
 * The models in the order of preference.
 * @throws AgentKitError `missing-key` when a provider has no key, naming the environment variables
 */
export function modelsOf(options: Asked, settings: AgentTable, context: SDKContext): Model[] {
  const wanted = options.model ?? settings.model
  const list = Array.isArray(wanted) ? wanted : [wanted]
  // A model that is listed twice stays one, which core refuses.
  const made = new Map<unknown, Model>()
  return list.map((one) => {
    const model = made.get(one) ?? modelOf(one, options, settings, context)
    if (typeof one === 'object') made.set(one, model)
    return model
  })
}

function modelOf(model: string | Model | undefined, options: Asked, settings: AgentTable, context: SDKContext): Model {
  const silence = milliseconds(settings.timeout)
  if (model !== undefined && typeof model !== 'string') {
    // What is no model is refused by core.
    if (silence === undefined || typeof model?.stream !== 'function') return withCassette(model)
    if (model.withDefaultTimeout) return withCassette(model.withDefaultTimeout(silence))
    return withEventTimeout(withCassette(model), model.eventTimeoutMs ?? options.modelTimeoutMs ?? silence)
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
  return withCassette(named)
}

/** A model that only core can watch, by its events. */
function withEventTimeout(model: Model, eventTimeoutMs: number): Model {
  const bounded: Model = {
    id: model.id,
    eventTimeoutMs,
    stream: (request, signal) => model.stream(request, signal),
    ...(model.load && { load: async () => void (await model.load?.()) }),
  }
  // It may come late.
  return Object.defineProperty(bounded, 'info', { get: () => model.info, enumerable: true })
}

/** A key that is missing is told after what is wrong in the code: a key does not mend it. */
function keylessLast<Named>(make: () => Named, { name, functions }: Asked): Named {
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

type Asked = Pick<AgentOptions, 'name' | 'functions' | 'model' | 'modelTimeoutMs'>
