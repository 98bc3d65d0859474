import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isPostgres } from '../../config/postgres-store.ts'
import { packages } from '../../models/provider-table.ts'
import { isProviderId } from '../../models/providers.ts'
import { nearestFile } from '../common/nearest-file.ts'
import { agentTables, type Project } from './project.ts'

/** A package that the configuration needs, and why. */
export type NeededPackage = { name: string; reason: string }

/** The optional packages that the configuration names, by its models, files, servers and sessions. */
export function namedPackages({ config, models, sessions }: Project): NeededPackage[] {
  const needed: NeededPackage[] = []
  for (const { name, provider, named } of models) {
    if (named || !isProviderId(provider)) continue
    needed.push({ name: packages[provider], reason: `the model "${name}" needs it` })
  }
  const retrieving = agentTables(config).filter(({ retrieve }) => retrieve === true)
  for (const { retrieval_tool = 'basic' } of retrieving) {
    needed.push({ name: '@agentkit/retriever', reason: '`retrieve = true` needs it' })
    const store = retrieval_tool === 'localstore' ? '@lancedb/lancedb' : '@pinecone-database/pinecone'
    if (retrieval_tool !== 'basic')
      needed.push({ name: store, reason: `\`retrieval_tool = "${retrieval_tool}"\` needs it` })
  }
  const { provider } = config.embedding
  if (provider !== undefined && isProviderId(provider)) {
    needed.push({ name: packages[provider], reason: '[embedding] names its provider' })
  }
  if (config.mcp.size > 0) needed.push({ name: '@agentkit/mcp', reason: '[mcp] needs it' })
  if (agentTables(config).some(({ skills = [] }) => skills.length > 0)) {
    needed.push({ name: '@agentkit/skills', reason: '`skills` needs it' })
  }
  if (agentTables(config).some(({ memory = false }) => memory !== false)) {
    needed.push({ name: '@agentkit/memory', reason: '`memory` needs it' })
  }
  if (config.defaults.telemetry !== undefined) {
    needed.push({ name: '@agentkit/telemetry', reason: '`telemetry = "otlp"` needs it' })
  }
  if (config.server.dialects?.includes('mcp')) {
    needed.push({ name: '@modelcontextprotocol/server', reason: 'the dialect "mcp" needs it' })
  }
  if (isPostgres(sessions)) {
    for (const name of ['@agentkit/queue-postgres', 'pg']) needed.push({ name, reason: 'sessions in Postgres need it' })
  }
  return [...new Map(needed.map((one) => [one.name, one])).values()]
}

/**
 * The version of a package, as the project or this package would load it.
 * @returns `undefined` when it is not installed
 */
export function installedVersion(name: string): string | undefined {
  for (const from of [process.cwd(), fileURLToPath(new URL('.', import.meta.url))]) {
    const file = nearestFile(from, join('node_modules', name, 'package.json'))
    const version = file === undefined ? undefined : versionIn(file)
    if (version !== undefined) return version
  }
  return undefined
}

function versionIn(file: string): string | undefined {
  try {
    const { version } = Object(JSON.parse(readFileSync(file, 'utf8')))
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}
