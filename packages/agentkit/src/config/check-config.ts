import { invalidConfig } from '@agentkit/core/internal'
import type { TomlTable, TomlValue } from 'smol-toml'
import { type NamedProvider, type NamedProviders, noProviders } from '../models/named-provider.ts'
import type { Config } from './config.ts'
import {
  type AgentTable,
  agentKeys,
  type ConfigKey,
  type DefaultsTable,
  defaultsKeys,
  embeddingKeys,
  type McpTable,
  mcpKeys,
  type ProviderModelTable,
  type ProviderTable,
  providerKeys,
  providerModelKeys,
  reservedTables,
  retentionKeys,
  retrieverKeys,
  samplePromptKeys,
  serverKeys,
  webhookKeys,
} from './config-keys.ts'
import { valueProblem } from './config-values.ts'
import { providerNameProblem, providerProblem, toNamedProvider } from './provider-tables.ts'
import { tomlLine } from './toml-line.ts'
import { unknownEntry, unknownKey } from './unknown-key.ts'

/** The most entries without effect that are named for one file. */
const mostWarnings = 20

/** A file that is parsed, and its own providers. */
type Source = { path: string; toml: string; providers: NamedProviders }

/**
 * Checks the tables of a file.
 * @throws AgentKitError `invalid-config` for a value of the wrong type or out of range; the message has the file, the line and
 *   the fix
 */
export function checkConfig(text: { path: string; toml: string }, file: TomlTable): Config {
  const warnings: string[] = []
  let more = 0
  // To find the line of an entry, the file is parsed again.
  const warn = (path: readonly string[], problem: string): void => {
    if (warnings.length < mostWarnings) warnings.push(`${place(text, path)}: ${problem}`)
    else more++
  }
  // First: names of models may begin with theirs.
  const source: Source = {
    ...text,
    providers: checkProviders({ ...text, providers: noProviders }, file.providers, warn),
  }
  const read = <Table>(name: string, keys: Record<string, ConfigKey>): Table => {
    const table = file[name]
    return (table === undefined ? {} : checkTable(source, [name], table, keys, warn)) as Table // what `keys` promise
  }
  const agents = new Map<string, AgentTable>()
  const topLevel: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(file)) {
    if (!reservedTables.includes(name) && isTable(value) && !isTableOfDefaults(name, value))
      agents.set(name, read(name, agentKeys))
    else if (Object.hasOwn(defaultsKeys, name) && !reservedTables.includes(name)) {
      topLevel[name] = checkValue(source, [name], defaultsKeys[name as keyof DefaultsTable], value)
    } else if (!reservedTables.includes(name)) checkTopLevel(source, name, value, warn)
  }
  const config: Config = {
    path: source.path,
    // Top-level keys are defaults too; [defaults] overrides them.
    defaults: { ...(topLevel as DefaultsTable), ...read<DefaultsTable>('defaults', defaultsKeys) },
    agents,
    samplePrompts: read('sample_prompts', samplePromptKeys),
    server: read('server', serverKeys),
    retention: read('retention', retentionKeys),
    webhooks: read('webhooks', webhookKeys),
    retriever: read('retriever', retrieverKeys),
    embedding: read('embedding', embeddingKeys),
    providers: source.providers,
    mcp: checkServers(source, file.mcp, warn),
    warnings,
  }
  const { url, secret_env: secret } = config.webhooks
  if (url === undefined && secret !== undefined) warn(['webhooks'], '[webhooks] has no "url", so nothing is sent.')
  if (more > 0) warnings.push(`${source.path}: ${more} more entries have no effect.`)
  return config
}

/**
 * Whether a top-level table is the value of a key, as in `budget = { usd = 0.5 }`, and not the table of an agent. TOML
 * has the same form for both, so the keys decide: no such value has a key of an agent's table.
 */
function isTableOfDefaults(name: string, table: TomlTable): boolean {
  const keys = Object.keys(table)
  return (
    ['budget', 'cache', 'memory'].includes(name) &&
    keys.length > 0 &&
    !keys.some((key) => Object.hasOwn(agentKeys, key))
  )
}

/** `[providers.<name>]`, each checked. */
function checkProviders(source: Source, tables: TomlValue | undefined, warn: Warn): NamedProviders {
  if (tables === undefined) return noProviders
  if (!isTable(tables)) fail(source, ['providers'], '"providers" must be tables. Write each as [providers.<name>].')
  return new Map(Object.entries(tables).map(([name, table]) => [name, checkProvider(source, name, table, warn)]))
}

/** `[mcp.<name>]`, each checked. */
function checkServers(source: Source, tables: TomlValue | undefined, warn: Warn): ReadonlyMap<string, McpTable> {
  if (tables === undefined) return new Map()
  if (!isTable(tables)) fail(source, ['mcp'], '"mcp" must be tables. Write each as [mcp.<name>].')
  return new Map(
    Object.entries(tables).map(([name, table]): [string, McpTable] => [
      name,
      checkTable(source, ['mcp', name], table, mcpKeys, warn), // what the keys promise
    ]),
  )
}

function checkProvider(source: Source, name: string, table: TomlValue, warn: Warn): NamedProvider {
  const path = ['providers', name]
  const wrongName = providerNameProblem(name)
  if (wrongName) fail(source, path, wrongName)
  const checked: ProviderTable = checkTable(source, path, table, providerKeys, warn) // what the keys promise
  const { models = [] } = checked
  const described = Object.entries(models).map(([key, facts]): [string, ProviderModelTable] =>
    Array.isArray(models)
      ? [facts, {}]
      : [key, checkTable(source, [...path, 'models', key], facts, providerModelKeys, warn)],
  )
  const problem = providerProblem(checked)
  if (problem) fail(source, path, problem)
  return toNamedProvider(name, checked, checked.models && new Map(described))
}

type Warn = (path: readonly string[], problem: string) => void

/** A table's known keys, each of its type. Unknown keys are left out with a warning. */
function checkTable(
  source: Source,
  path: readonly string[],
  table: TomlValue,
  keys: Record<string, ConfigKey>,
  warn: Warn,
): Record<string, unknown> {
  const name = path.join('.')
  if (!isTable(table)) fail(source, path, `"${name}" must be a table. Write it as [${name}].`)
  const checked: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(table)) {
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (!known) {
      const isAgents = isTable(value) && keys === agentKeys
      const nested = isAgents ? `The table of an agent "${key}" is [${key}].` : undefined
      warn([...path, key], unknownKey(key, name, Object.keys(keys), nested))
      continue
    }
    checked[key] = checkValue(source, [...path, key], known, value)
  }
  return checked
}

function checkValue(source: Source, path: readonly string[], key: ConfigKey, value: TomlValue): TomlValue {
  const name = path.at(-1) ?? ''
  const problem = valueProblem(name, key, value, source.providers)
  if (problem) fail(source, path, problem)
  return value
}

/** A top-level entry that is neither a table nor a known key. */
function checkTopLevel(source: Source, name: string, value: TomlValue, warn: Warn): void {
  if (Array.isArray(value) && value.some(isTable)) {
    fail(source, [name], `"${name}" must be one table. Write it as [${name}], in single brackets.`)
  }
  warn([name], unknownEntry(name))
}

function isTable(value: unknown): value is TomlTable {
  // The parser's tables have no prototype; its dates and lists do.
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

function fail(source: Source, path: readonly string[], problem: string): never {
  throw invalidConfig(`${place(source, path)}: ${problem}`)
}

function place({ path, toml }: Pick<Source, 'path' | 'toml'>, keys: readonly string[]): string {
  const line = tomlLine(toml, keys)
  return line === undefined ? path : `${path}:${line}`
}
