import { agentWords, foreignWord, nearestWord } from '@agentkit/core/internal'
import { agentKeys, defaultsKeys, retentionKeys, serverKeys } from './config-keys.ts'

/** Options of an agent that a file cannot have. The nearest key has another meaning. */
const codeOptions: readonly string[] = [
  ...['functions', 'hooks', 'onRunEnd', 'output', 'sessions', 'timeoutMs'],
  ...['clientTools', 'guard', 'modelSettings', 'prices', 'retry'],
]

/** Options of a server whose keys have other names. */
const serverWords: ReadonlyMap<string, string> = new Map([
  ['auth', 'authTokensEnv'],
  ['cors', 'corsOrigins'],
])

/** What a file has in place of these words, in the form of TOML. */
const fileWords: ReadonlyMap<string, string> = new Map([
  ['name', 'The name of a table is the name or the id of its agent.'],
  ['id', 'The name of a table is the name or the id of its agent.'],
  ['provider', 'It is a part of "model": model = "openai/gpt-5.4-mini".'],
  ['fallbacks', 'Write a list: model = ["openai/gpt-5.4-mini", "anthropic/claude-sonnet-5"].'],
  ['apiKey', 'Keys are environment variables, or lines of .env: OPENAI_API_KEY=….'],
  ['baseUrl', 'Write a table: [providers.<name>] with kind = "openai-compatible" and base_url.'],
  ['handoffs', 'Write collaboration = "handoff", and the members as agents = […].'],
  ['mcpServers', 'Write a table for each: [mcp.<name>].'],
  ['embeddingModel', 'Write it as `model` below [embedding].'],
  ['knowledge', 'Write retrieve = true.'],
  ['vectorStore', 'Write retrieve = true.'],
  ['logLevel', 'Write log = "human" or log = "json" below [server].'],
])

/**
 * The warning about a key that a table does not have, with the key that was meant: of other libraries, of code, of another
 * table, or misspelt.
 *
 * @param known the keys of the table
 */
export function unknownKey(key: string, table: string, known: readonly string[], nested?: string): string {
  const isOfAgent = known.includes('instruction')
  const hint =
    (isOfAgent ? otherWord(key, known) : undefined) ?? meant(serverKey(key, known) ?? nearestWord(key, known))
  return `"${key}" is not a key of [${table}]. ${hint ?? nested ?? homeHint(key) ?? `Its keys are ${known.join(', ')}.`}`
}

/** The warning about a top-level entry that is neither a table nor a known key. */
export function unknownEntry(name: string): string {
  const known = Object.keys(defaultsKeys)
  const hint = otherWord(name, known) ?? meant(nearestWord(name, known))
  const place = hint?.replace(/^(Did you mean .*)\?$/, '$1 below [defaults]?')
  return `"${name}" is outside of every table. ${place ?? homeHint(name) ?? 'Put it below a table, such as [defaults].'}`
}

/** The answer to an option of code, and to a word of another library. */
function otherWord(key: string, known: readonly string[]): string | undefined {
  const word = camelCase(key)
  if (codeOptions.includes(word)) return ofCode(word)
  const written = fileWords.get(/api_?key$/i.test(key) ? 'apiKey' : word === 'baseURL' ? 'baseUrl' : word)
  if (written) return written
  const ours = foreignKey(key, known)
  if (ours) return meant(ours)
  const option = foreignOption(key)
  if (option !== undefined && codeOptions.includes(option)) return ofCode(option)
  return homeHint(key) ?? foreignWord(key, agentWords)
}

function ofCode(option: string): string {
  return `It is an option of code alone: new Agent({ ${option} }).`
}

function meant(key: string | undefined): string | undefined {
  return key && `Did you mean "${key}"?`
}

/** Our key for the word of another library: `max_turns` → `max_steps`. */
function foreignKey(key: string, known: readonly string[]): string | undefined {
  return keyOf(foreignOption(key), known)
}

/** Our key for the option of a server: `cors` → `cors_origins`. */
function serverKey(key: string, known: readonly string[]): string | undefined {
  return keyOf(serverWords.get(key), known)
}

function keyOf(option: string | undefined, known: readonly string[]): string | undefined {
  const own = option?.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return known.find((one) => one === own)
}

/** The option of ours that an answer begins with: `output`, or `retry` of "`retry: { attempts }`". */
function foreignOption(key: string): string | undefined {
  const word = camelCase(key)
  const answer = Object.hasOwn(agentWords, word) ? String(agentWords[word]) : ''
  return /^`?(\w+)(?:$|[:` ])/.exec(answer)?.[1]
}

/** A key that was written below the wrong table, as at the end of a file. */
function homeHint(key: string): string | undefined {
  if (Object.hasOwn(agentKeys, key)) return 'It belongs below [defaults], or below the table of an agent.'
  const homes = { defaults: defaultsKeys, server: serverKeys, retention: retentionKeys }
  const home = Object.entries(homes).find(([, keys]) => Object.hasOwn(keys, key))
  return home && `It belongs below [${home[0]}].`
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
