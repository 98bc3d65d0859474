import type { ModelInfo } from '@agentkit/core'
import { invalidConfig, nearestWord } from '@agentkit/core/internal'
import { withVariablesIn } from '../util/with-variables.ts'
import type { ProviderSettings } from './import-provider.ts'

/** A server with the API of OpenAI, as `[providers.<name>]` describes it. */
export type NamedProvider = {
  name: string
  baseURL: string
  /** The environment variable of the key. If it is absent, no key is sent. */
  keyVariable?: string
  api: 'chat' | 'responses'
  headers?: Readonly<Record<string, string>>
  /** The embedding model when `[embedding]` names none; `true` if the server needs no name. */
  embeddings?: string | true
  /** All models of the server. If it is absent, any name is passed on. */
  models?: ReadonlyMap<string, NamedModelFacts>
}

/** The facts about a model from the configuration file. */
export type NamedModelFacts = { info?: ModelInfo; images?: boolean }

export type NamedProviders = ReadonlyMap<string, NamedProvider>

export const noProviders: NamedProviders = new Map()

/** @throws AgentKitError `invalid-config` for a model that is not in the provider's list */
export function checkListed({ name, models }: NamedProvider, model: string): void {
  if (!models || models.has(model)) return
  const listed = [...models.keys()]
  const nearest = nearestWord(model, listed)
  const hint = nearest ? `Did you mean "${name}/${nearest}"?` : `It lists ${listed.slice(0, 10).join(', ')}.`
  throw invalidConfig(`"${model}" is not in the \`models\` of [providers.${name}]. ${hint}`)
}

/**
 * The options of the provider package for OpenAI's models, with variables of the environment in the headers.
 * @throws AgentKitError `invalid-config` for a variable that is not set
 */
export function openaiOptions({ name, baseURL, keyVariable, api, headers: texts }: NamedProvider): ProviderSettings {
  const headers = texts && withVariablesIn(texts, `[providers.${name}]`)
  return { name, baseURL, api, ...(keyVariable !== undefined && { keyVariable }), ...(headers && { headers }) }
}
