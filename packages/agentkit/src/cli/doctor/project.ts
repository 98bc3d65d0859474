import { isAgentKitError } from '@agentkit/core'
import type { Finding } from '@agentkit/core/internal'
import type { Config } from '../../config/config.ts'
import type { AgentTable } from '../../config/config-keys.ts'
import { loadDotEnv } from '../../config/load-dot-env.ts'
import { noConfig, readConfig } from '../../config/read-config.ts'
import { embeddingOf } from '../../knowledge/embedding-choice.ts'
import { type FoundModel, findModel } from '../../models/model-name.ts'
import { isProviderId } from '../../models/providers.ts'

/** The facts about the project in this folder, for the checks. */
export type Project = {
  /** An empty configuration if the file cannot be read. */
  config: Config
  /** Why it cannot be read. */
  configError?: Error
  /** Why `.env` could not be read. */
  envProblem?: string
  /** The models that the configuration names, each once. */
  models: readonly NamedModel[]
  /** The model of `[embedding]`, if an agent retrieves files. */
  embedding?: NamedModel
  isOffline: boolean
  sessions: string
}

export type NamedModel = FoundModel & { name: string; settings: AgentTable }

/** The result of one check: its finding, and the place in a file. */
export type CheckResult = Finding & { file?: string; line?: number }
export type Check = (project: Project, signal: AbortSignal) => Promise<CheckResult> | CheckResult

/** Reads the project without loading its code. */
export function readProject(sessions: string, isOffline: boolean): Project {
  const envProblem = loadDotEnv()
  const base = { isOffline, sessions, ...(envProblem !== undefined && { envProblem }) }
  try {
    const config = readConfig()
    const models = modelsOf(config)
    const embedding = embeddingIn(config, models)
    return { ...base, config, models, ...(embedding && { embedding }) }
  } catch (error) {
    const configError = error instanceof Error ? error : new Error(String(error))
    return { ...base, config: noConfig(), configError, models: [] }
  }
}

/** The settings of all agents: their tables, and the defaults. */
export function agentTables({ agents, defaults }: Config): AgentTable[] {
  return agents.size === 0 ? [defaults] : [...agents.values()].map((table) => ({ ...defaults, ...table }))
}

function modelsOf(config: Config): NamedModel[] {
  const models = new Map<string, NamedModel>()
  // An agent without a table has the model of [defaults].
  for (const settings of [...agentTables(config), config.defaults]) {
    for (const name of [settings.model ?? []].flat()) {
      if (models.has(name)) continue
      try {
        models.set(name, { name, settings, ...findModel(name, config.providers) })
      } catch (error) {
        // The check of the configuration reports it.
        if (!isAgentKitError(error)) throw error
      }
    }
  }
  return [...models.values()]
}

function embeddingIn(config: Config, models: readonly NamedModel[]): NamedModel | undefined {
  const retrieving = agentTables(config).find(({ retrieve }) => retrieve === true)
  if (!retrieving) return undefined
  const preferred = models.map(({ provider }) => provider).find(isProviderId) ?? 'openai'
  try {
    const choice = embeddingOf(config.embedding, preferred, config.providers)
    if (!choice) return undefined
    const { provider, model, named } = choice
    return { name: `${provider}/${model}`, provider, model, settings: retrieving, ...(named && { named }) }
  } catch (error) {
    // The check of the index reports it.
    if (!isAgentKitError(error)) throw error
    return undefined
  }
}

/** The findings of several parts as one: the worst decides, and is the first that is said. */
export function merged(findings: readonly CheckResult[], ifNone: CheckResult): CheckResult {
  const ranked = ['fail', 'warn', 'ok', 'skipped'].flatMap((status) => findings.filter((one) => one.status === status))
  const [worst, ...others] = ranked
  if (!worst) return ifNone
  const alike = others.filter(({ status }) => status === worst.status || (status !== 'ok' && status !== 'skipped'))
  return { ...worst, detail: [...new Set([worst, ...alike].map(({ detail }) => detail))].join(' ') }
}
