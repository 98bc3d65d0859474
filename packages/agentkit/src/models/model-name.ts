import { AgentKitError } from '@agentkit/core'
import { hasOwnServer, isProviderId, type ProviderId, providerIds } from './providers.ts'

/** A model's provider, and the model as that provider names it. */
export type ModelName = { provider: ProviderId; model: string }

/**
 * Which provider serves a model.
 *
 * What stands before the first `/` is the provider when it is one that agentkit knows (`google` stands for `gemini`);
 * the rest may hold further `/` and `:`. A name without a provider is told by its family (`gpt-`, `claude-`,
 * `mistral-`, `gemini-`, …); a `:tag` says `ollama`, whatever the family. Azure and Groq are never guessed. Any other
 * name belongs to `openai` where `OPENAI_BASE_URL` names a server of one's own.
 *
 * @throws AgentKitError `invalid-config` when nothing tells the provider; the message lists the candidates
 * @example
 * resolveModelName('groq/openai/gpt-oss-120b') // { provider: 'groq', model: 'openai/gpt-oss-120b' }
 * resolveModelName('claude-sonnet-5') // { provider: 'anthropic', model: 'claude-sonnet-5' }
 * resolveModelName('mistral:7b') // { provider: 'ollama', model: 'mistral:7b' }
 */
export function resolveModelName(name: string): ModelName {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new AgentKitError('invalid-config', 'A model has a name, such as "openai/gpt-5.4-mini".')
  }
  return namedProvider(name) ?? familyProvider(name) ?? ownServer(name) ?? unknownProvider(name)
}

const aliases: ReadonlyMap<string, ProviderId> = new Map([['google', 'gemini']])

function namedProvider(name: string): ModelName | undefined {
  const slash = name.indexOf('/')
  if (slash < 0) return undefined
  const head = name.slice(0, slash)
  const provider = aliases.get(head) ?? (isProviderId(head) ? head : undefined)
  if (!provider) return undefined
  const model = name.slice(slash + 1)
  if (model === '') throw new AgentKitError('invalid-config', `"${name}" names no model. Write "${head}/<model>".`)
  return { provider, model }
}

/** The first that matches holds: a fine-tuned model's id has colons that are no tag, and a tag beats a family. */
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

function familyProvider(name: string): ModelName | undefined {
  const family = families.find(({ pattern }) => pattern.test(name))
  return family && { provider: family.provider, model: name }
}

function ownServer(name: string): ModelName | undefined {
  return hasOwnServer() ? { provider: 'openai', model: name } : undefined
}

function unknownProvider(name: string): never {
  const candidates = providerIds.filter((id) => id !== 'offline').map((id) => `"${id}/${name}"`)
  throw new AgentKitError(
    'invalid-config',
    `Nothing tells which provider serves the model "${name}". Write one of ${candidates.join(', ')}.`,
  )
}
