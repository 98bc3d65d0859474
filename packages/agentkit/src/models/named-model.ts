import { AgentKitError } from '@agentkit/core'
import { otherDotEnv } from '../util/other-dot-env.ts'
import { isReplaying, replayedModel } from './cassette-model.ts'
import { importProvider, type ProviderFactory, type ProviderSettings } from './import-provider.ts'
import { type LazyModel, lazyModel } from './lazy-model.ts'
import { type FoundModel, findModel, nearestModel } from './model-name.ts'
import { type NamedProvider, type NamedProviders, noProviders, openaiOptions } from './named-provider.ts'
import {
  keyOf,
  keyVariables,
  type ModelTimeouts,
  needsKey,
  type ProviderId,
  providerIds,
  variable,
} from './providers.ts'

/** The model of an agent that names none, if there is an OpenAI key. */
export const defaultModel = 'openai/gpt-5.4-mini'

export type NamedModelSettings = ModelTimeouts & {
  ollamaServerUrl?: string
  providers?: NamedProviders
  /** Why there is no name, for the error of a missing key. */
  hint?: string
}

/**
 * A model by its name. The provider's key is read from the environment at once; its package is imported when the model
 * is first used.
 *
 * @param name as `resolveModelName` accepts it; default: {@link defaultModel}, which needs an OpenAI key
 * @param settings the longest silences of one attempt (default: the provider's own), and Ollama's address
 * @param load returns the factory of a provider
 * @throws AgentKitError `missing-key` with the names of the environment variables
 * @throws AgentKitError `invalid-config` when the provider is unknown
 */
export function namedModel(
  name: string | undefined,
  { ollamaServerUrl, providers = noProviders, hint, ...timeouts }: NamedModelSettings = {},
  load: (provider: ProviderId) => Promise<ProviderFactory> = importProvider,
): LazyModel {
  const found = findModel(name ?? defaultModel, providers)
  if (isReplaying()) return replayedModel(`${found.provider}/${found.model}`)
  if (found.named) return modelOfNamed(found, found.named, timeouts, load)
  const { model } = found
  const provider = found.provider as ProviderId // all that are not named
  const apiKey = keyOf(provider)
  const missing = apiKey ? undefined : missingKeyOf(name, provider, hint)
  if (missing && areKeysDeferred()) return lazyModel(`${provider}/${model}`, () => Promise.reject(missing))
  if (missing) throw missing
  return lazyModel(`${provider}/${model}`, async () => {
    const factory = await load(provider)
    const settings: ProviderSettings = apiKey ? { apiKey } : {}
    if (provider === 'ollama' && ollamaServerUrl !== undefined) settings.serverUrl = ollamaServerUrl
    return factory(settings).model(model, timeouts)
  })
}

/** Commands and agents may be of two installed copies of this package, so the name is the same for all of them. */
const deferred = Symbol.for('agentkit.deferred-keys')

type Deferring = typeof globalThis & { [deferred]?: true }

/**
 * From now on a model without a key fails when it is called, not when its agent is created, because a command may know
 * only later whether it calls models.
 */
export function deferMissingKeys(): void {
  const deferring: Deferring = globalThis
  deferring[deferred] = true
}

function areKeysDeferred(): boolean {
  return (globalThis as Deferring)[deferred] === true
}

function modelOfNamed(
  { provider, model }: FoundModel,
  named: NamedProvider,
  timeouts: ModelTimeouts,
  load: (provider: ProviderId) => Promise<ProviderFactory>,
): LazyModel {
  checkKeyOf(named)
  const info = named.models?.get(model)?.info
  const lazy = lazyModel(`${provider}/${model}`, async () => {
    const loaded = (await load('openai'))(openaiOptions(named)).model(model, timeouts)
    return info ? { ...loaded, info: { ...loaded.info, ...info } } : loaded
  })
  // Known before it is loaded: a budget in US dollars needs the price.
  return info ? Object.assign(lazy, { info }) : lazy
}

/** @throws AgentKitError `missing-key` */
export function checkKeyOf({ name, keyVariable }: NamedProvider): void {
  if (keyVariable === undefined || variable(keyVariable) !== undefined) return
  const message = `The models of "${name}" need a key. Set ${keyVariable}, for example in .env.${otherDotEnv()}`
  throw new AgentKitError('missing-key', message, { provider: name })
}

function missingKeyOf(
  name: string | undefined,
  provider: ProviderId,
  hint: string | undefined,
): AgentKitError | undefined {
  if (name === undefined) return noModel(hint)
  return needsKey(provider) ? missingKey(name, provider) : undefined
}

function missingKey(name: string, provider: ProviderId): AgentKitError {
  const nearest = nearestModel(name)
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const message = `The model "${name}" needs a key. Set ${keyVariables[provider].join(' or ')}, for example in .env.${otherDotEnv()}${hint}`
  return new AgentKitError('missing-key', message, { provider })
}

function noModel(hint: string | undefined): AgentKitError {
  const others = providerIds.filter((id) => keyOf(id))
  const otherwise =
    others.length > 0
      ? `There is a key for ${others.join(' and ')}: pass one of its models, such as "${others[0]}/…".`
      : 'Or pass a model; "offline/extractive" needs no key.'
  return new AgentKitError(
    'missing-key',
    `There is no \`model\`, and no key for the default one, "${defaultModel}". ` +
      `Set ${keyVariables.openai.join(' or ')}, for example in .env.${otherDotEnv()} ${hint ?? otherwise}`,
  )
}
