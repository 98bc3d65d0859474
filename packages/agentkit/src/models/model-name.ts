import { editDistance, invalidConfig, nearestWord } from '@agentkit/core/internal'
import { knownModels } from './known-models.ts'
import { checkListed, type NamedProvider, type NamedProviders, noProviders } from './named-provider.ts'
import { usualModels } from './provider-table.ts'
import { hasCustomServer, isProviderId, type ProviderId, providerIds } from './providers.ts'

/** A model's provider, and the provider's name for the model. */
export type ModelName = { provider: ProviderId; model: string }

/**
 * Finds the provider of a model.
 *
 * The text before the first `/` is the provider if agentkit knows it (`google` is an alias of `gemini`); the rest may
 * contain more `/` and `:`. Without a provider, the name's family decides (`gpt-`, `claude-`, `mistral-`, `gemini-`, …);
 * a `:tag` means `ollama` for every family. Azure and Groq are never guessed. Any other name belongs to `openai` if
 * `OPENAI_BASE_URL` is another server than OpenAI's.
 *
 * @throws AgentKitError `invalid-config` when the provider is unknown; the message lists the candidates
 * @example
 * resolveModelName('groq/openai/gpt-oss-120b') // { provider: 'groq', model: 'openai/gpt-oss-120b' }
 * resolveModelName('claude-sonnet-5') // { provider: 'anthropic', model: 'claude-sonnet-5' }
 * resolveModelName('mistral:7b') // { provider: 'ollama', model: 'mistral:7b' }
 */
export function resolveModelName(name: string): ModelName {
  const { provider, model } = findModel(name, noProviders)
  return { provider: provider as ProviderId, model } // there are no others without the providers of a configuration
}

/** A model of a built-in provider, or of one that the configuration names. */
export type FoundModel = { provider: string; model: string; named?: NamedProvider }

/** The same, with the providers of a configuration. */
export function findModel(name: string, providers: NamedProviders): FoundModel {
  if (typeof name !== 'string' || name.trim() === '') {
    throw invalidConfig('A model needs a name, such as "openai/gpt-5.4-mini".')
  }
  return (
    byNamed(name, providers) ??
    byPrefix(name) ??
    afterColon(name) ??
    byFamily(name) ??
    byCustomServer(name) ??
    unknownProvider(name, providers)
  )
}

const aliases: ReadonlyMap<string, ProviderId> = new Map([['google', 'gemini']])

function byNamed(name: string, providers: NamedProviders): FoundModel | undefined {
  const slash = name.indexOf('/')
  const named = slash < 0 ? undefined : providers.get(name.slice(0, slash))
  if (!named) return undefined
  const model = name.slice(slash + 1)
  if (model === '') throw invalidConfig(`"${name}" names no model. Write "${named.name}/<model>".`)
  checkListed(named, model)
  return { provider: named.name, model, named }
}

function byPrefix(name: string): ModelName | undefined {
  const slash = name.indexOf('/')
  if (slash < 0) return undefined
  const head = name.slice(0, slash)
  const provider = aliases.get(head) ?? (isProviderId(head) ? head : undefined)
  if (!provider) return undefined
  const model = name.slice(slash + 1)
  if (model === '') throw invalidConfig(`"${name}" names no model. Write "${head}/<model>".`)
  return { provider, model }
}

/** What LangChain calls providers. */
const foreignProviders: ReadonlyMap<string, ProviderId> = new Map([
  ['azure_openai', 'azure'],
  ['google-genai', 'gemini'],
  ['google_genai', 'gemini'],
  ['mistralai', 'mistral'],
])

/**
 * Other libraries write `openai:gpt-5.4-mini`. A family of Ollama may have the name of a provider: `mistral:7b` is a tag.
 * @throws AgentKitError `invalid-config` for a provider and a colon
 */
function afterColon(name: string): undefined {
  const [, head = '', model = ''] = /^([\w-]+):([^:]+)$/.exec(name) ?? []
  const foreign = foreignProviders.get(head)
  const provider = foreign ?? aliases.get(head) ?? (isProviderId(head) ? head : undefined)
  if (!provider || (!foreign && provider === 'mistral' && byFamily(model)?.provider !== provider)) return
  throw invalidConfig(`A provider ends with "/": "${name}" is "${provider}/${model}" here.`)
}

/** The first match decides. The ids of fine-tuned models have colons that are not tags; a tag overrides a family. */
const families: readonly { provider: ProviderId; pattern: RegExp }[] = [
  { provider: 'openai', pattern: /^ft:/ },
  { provider: 'ollama', pattern: /[^:]:[^:]/ },
  { provider: 'openai', pattern: /^(gpt-(?!oss)|chatgpt-|o[1-9]|codex-|text-embedding-|computer-use)[^/]*$/ },
  { provider: 'anthropic', pattern: /^claude-[^/]*$/ },
  {
    provider: 'mistral',
    pattern: /^(mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-mistral|open-mixtral)-[^/]*$/,
  },
  { provider: 'gemini', pattern: /^(models\/)?gemini-[^/]*$|^gemma-[^/]*-it$/ },
  { provider: 'ollama', pattern: /^(llama|qwen|phi|deepseek-|gpt-oss|nomic-embed-text|mxbai-)[^/]*$/ },
]

function byFamily(name: string): ModelName | undefined {
  const family = families.find(({ pattern }) => pattern.test(name))
  return family && { provider: family.provider, model: name }
}

function byCustomServer(name: string): ModelName | undefined {
  return hasCustomServer() ? { provider: 'openai', model: name } : undefined
}

function unknownProvider(name: string, providers: NamedProviders): never {
  const provider = aliases.get(name) ?? name
  if (isProviderId(provider)) {
    throw invalidConfig(`"${name}" is a provider. Write one of its models, such as "${usualModels[provider]}".`)
  }
  if (providers.has(name)) throw invalidConfig(`"${name}" names no model. Write "${name}/<model>".`)
  const slash = name.indexOf('/')
  const head = slash > 0 ? name.slice(0, slash) : undefined
  const nearest =
    head === undefined ? undefined : nearestWord(head, [...providerIds, ...aliases.keys(), ...providers.keys()])
  if (nearest !== undefined) {
    throw invalidConfig(`There is no provider "${head}". Did you mean "${nearest}${name.slice(slash)}"?`)
  }
  const known = misspeltModel(name, knownModels.map(withoutProvider))
  if (known !== undefined) {
    throw invalidConfig(`The provider of the model "${name}" is unknown. Did you mean "${known}"?`)
  }
  const candidates = providerIds.filter((id) => id !== 'offline').map((id) => `"${id}/${name}"`)
  const isName = head !== undefined && /^[\w-]+$/.test(head)
  const own = isName ? `, or the table [providers.${head}] for a server with OpenAI's API` : ''
  throw invalidConfig(`The provider of the model "${name}" is unknown. Write one of ${candidates.join(', ')}${own}.`)
}

/**
 * The known model that a name probably misspells: with or without its provider, by one or two characters. Where only a
 * number differs, it is another version.
 */
export function nearestModel(name: string): string | undefined {
  const names: readonly string[] = name.includes('/') ? knownModels : knownModels.map(withoutProvider)
  if (names.includes(name)) return undefined
  const nearest = misspeltModel(name, names)
  return nearest !== undefined && withoutDigits(nearest) !== withoutDigits(name) ? nearest : undefined
}

const withoutDigits = (name: string): string => name.replaceAll(/\d/g, '')
const withoutProvider = (name: string): string => name.slice(name.indexOf('/') + 1)

function misspeltModel(name: string, names: readonly string[]): string | undefined {
  return nearestWord(
    name,
    names.filter((one) => editDistance(name, one, 2) <= 2),
  )
}
