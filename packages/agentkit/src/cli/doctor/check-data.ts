import { isAgentKitError } from '@agentkit/core'
import { isPostgres } from '../../config/postgres-store.ts'
import { retrieverOptions } from '../../knowledge/agent-knowledge.ts'
import { defaultEmbedding, embeddingOf } from '../../knowledge/embedding-choice.ts'
import { isProviderId } from '../../models/providers.ts'
import { agentTables, type CheckResult, merged, type Project } from './project.ts'

/** The store of sessions: sound, writable, and of a known schema. */
export async function checkStore({ sessions, isOffline }: Project, signal: AbortSignal): Promise<CheckResult> {
  const { inspectPostgres, inspectSQLite } = await import('@agentkit/sessions/internal')
  if (!isPostgres(sessions)) return inspectSQLite(sessions, signal)
  if (isOffline) return { status: 'skipped', detail: 'Postgres was not asked, because of --offline.' }
  return inspectPostgres(sessions)
}

/** The files of agents that retrieve, and their index. */
export async function checkIndex(project: Project): Promise<CheckResult> {
  const { config, models } = project
  const names = [...config.agents.keys()]
  const retrieving = agentTables(config)
    .map((settings, index) => ({ settings, name: names[index] }))
    .filter(({ settings }) => settings.retrieve === true)
  if (retrieving.length === 0) return { status: 'skipped', detail: 'No agent of the configuration retrieves files.' }
  const { inspectIndex } = await import('@agentkit/retriever/internal').catch(() => ({ inspectIndex: undefined }))
  if (!inspectIndex) return { status: 'skipped', detail: 'The package @agentkit/retriever is not installed.' }
  const findings: CheckResult[] = []
  // Without --agent, `agentkit index` takes the only agent that retrieves.
  const isUsual = retrieving.length === 1 && config.defaults.retrieve !== true
  for (const { settings, name } of retrieving) {
    const options = retrieverOptions({}, settings, { config })
    const named = [settings.model ?? []].flat()
    const own = models.filter(({ name }) => named.includes(name)).map(({ provider }) => provider)
    const providers = own.filter(isProviderId)
    try {
      const [preferred = 'openai'] = providers
      const choice = embeddingOf(config.embedding, preferred, config.providers) ?? defaultEmbedding(providers)
      const embedder = choice && {
        id: `${choice.provider}/${choice.model}`,
        ...(choice.dimensions !== undefined && { dimensions: choice.dimensions }),
        embed: async () => [],
      }
      const finding = await inspectIndex({ ...options, ...(embedder && { embedder }) })
      const isNamed = name !== undefined && !isUsual && finding.fix?.includes('npx agentkit index')
      findings.push(isNamed ? { ...finding, fix: `${finding.fix} --agent ${JSON.stringify(name)}` } : finding)
    } catch (error) {
      if (!isAgentKitError(error)) throw error
      findings.push({ status: 'fail', detail: error.message, fix: 'Correct [embedding] in agentkit_config.toml.' })
    }
  }
  return merged(findings, { status: 'ok', detail: 'The index is sound.' })
}
