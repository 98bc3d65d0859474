import { AgentKitError } from '@agentkit/core'
import { isReplaying, replayedModel } from './cassette-model.ts'
import { importProvider, type ProviderFactory, type ProviderSettings } from './import-provider.ts'
import { type LazyModel, lazyModel } from './lazy-model.ts'
import { resolveModelName } from './model-name.ts'
import { keyOf, keyVariables, type ModelTimeouts, needsKey, type ProviderId, providerIds } from './providers.ts'

/** What an agent runs on when no model is named and a key of OpenAI is set. */
export const defaultModel = 'openai/gpt-5.4-mini'

export type NamedModelSettings = ModelTimeouts & { ollamaServerUrl?: string }

/**
 * A model by its name. The provider's key is taken from the environment at once, its package imported when it is
 * first needed.
 *
 * @param name as `resolveModelName` takes it; absent, the default model, which needs a key of OpenAI
 * @param settings the longest silences of one attempt, absent the provider's own; and where Ollama listens
 * @param load how a provider's factory is come by
 * @throws AgentKitError `missing-key`, naming the environment variables
 * @throws AgentKitError `invalid-config` when nothing tells the provider
 */
export function namedModel(
  name: string | undefined,
  { ollamaServerUrl, ...timeouts }: NamedModelSettings = {},
  load: (provider: ProviderId) => Promise<ProviderFactory> = importProvider,
): LazyModel {
  const { provider, model } = resolveModelName(name ?? defaultModel)
  if (isReplaying()) return replayedModel(`${provider}/${model}`)
  const apiKey = keyOf(provider)
  if (!apiKey && name === undefined) throw noModel()
  if (!apiKey && needsKey(provider)) throw missingKey(name ?? defaultModel, provider)
  return lazyModel(`${provider}/${model}`, async () => {
    const factory = await load(provider)
    const settings: ProviderSettings = apiKey ? { apiKey } : {}
    if (provider === 'ollama' && ollamaServerUrl !== undefined) settings.serverUrl = ollamaServerUrl
    return factory(settings).model(model, timeouts)
  })
}

function missingKey(name: string, provider: ProviderId): AgentKitError {
  return new AgentKitError(
    'missing-key',
    `The model "${name}" needs a key. Set ${keyVariables[provider].join(' or ')}, for example in .env.`,
    { provider },
  )
}

function noModel(): AgentKitError {
  const others = providerIds.filter((id) => keyOf(id))
  const hint =
    others.length > 0
      ? `There is a key for ${others.join(' and ')}: name one of its models, such as "${others[0]}/…".`
      : 'Or name a model; "offline/extractive" needs no key.'
  return new AgentKitError(
    'missing-key',
    `No model is named, and there is no key for the default one, "${defaultModel}". ` +
      `Set ${keyVariables.openai.join(' or ')}, for example in .env. ${hint}`,
  )
}
