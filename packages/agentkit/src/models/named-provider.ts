import type { ModelInfo } from '@agentkit/core'
import { invalidConfig, nearestWord } from '@agentkit/core/internal'
import { withVariablesIn } from '../util/with-variables.ts'
import type { ProviderSettings } from './import-provider.ts'

/** A server that speaks like OpenAI's, as `[providers.<name>]` describes it. */
export type NamedProvider = {
  name: string
  baseURL: string
  /** The environment variable with its key; absent, it is sent none. */
  keyVariable?: string
  api: 'chat' | 'responses'
  headers?: Readonly<Record<string, string>>
  /** Its embedding model when `[embedding]` names none; `true` where there is none to name. */
  embeddings?: string | true
  /** All models that it has; absent, any name is passed on. */
  models?: ReadonlyMap<string, NamedModelFacts>
}

/** What the file says of a model. */
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
