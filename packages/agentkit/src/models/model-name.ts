import { invalidConfig } from '@agentkit/core/internal'
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
  if (typeof name !== 'string' || name.trim() === '') {
    throw invalidConfig('A model needs a name, such as "openai/gpt-5.4-mini".')
  }
  return byPrefix(name) ?? byFamily(name) ?? byCustomServer(name) ?? unknownProvider(name)
}

const aliases: ReadonlyMap<string, ProviderId> = new Map([['google', 'gemini']])

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

function unknownProvider(name: string): never {
  const candidates = providerIds.filter((id) => id !== 'offline').map((id) => `"${id}/${name}"`)
  throw invalidConfig(`The provider of the model "${name}" is unknown. Write one of ${candidates.join(', ')}.`)
}
