import { Agent as CoreAgent, type Model } from '@agentkit/core'
import type { AgentOptions } from './agent.ts'
import { onCassette } from './cassette-model.ts'
import type { AgentTable } from './config-keys.ts'
import { definedOnly } from './defined-only.ts'
import { namedModel } from './named-model.ts'
import { isProviderId, type ProviderId } from './providers.ts'
import type { SDKContext } from './sdk-context.ts'
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
export function modelsOf({ name, functions, model }: Asked, settings: AgentTable, context: SDKContext): Model[] {
  const wanted = model ?? settings.model
  const list = Array.isArray(wanted) ? wanted : [wanted]
  return list.map((one) => onCassette(modelOf(one, { name, functions }, settings, context)))
}

function modelOf(model: string | Model | undefined, options: Asked, settings: AgentTable, context: SDKContext): Model {
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

type Asked = Pick<AgentOptions, 'name' | 'functions' | 'model'>
