import { AgentKitError } from '@agentkit/core'
import { isPackageMissing } from '@agentkit/core/internal'
import { ownRequire } from './own-require.ts'

type RetrieverPackage = typeof import('@agentkit/retriever')
type MemoryPackage = typeof import('@agentkit/memory')
type McpPackage = typeof import('@agentkit/mcp/internal')
type SkillsPackage = typeof import('@agentkit/skills/internal')
type EvalsPackage = typeof import('@agentkit/evals/internal')
type Testing = typeof import('@agentkit/testing')
type TelemetryPackage = typeof import('@agentkit/telemetry')
type TelemetryInternal = typeof import('@agentkit/telemetry/internal')
type SessionsPackage = typeof import('@agentkit/sessions')
type QueuePackage = typeof import('@agentkit/queue-postgres')

type ImportOptions = {
  /** The error names the provider that the package is for. */
  provider?: string
  /** The package is needed in development only. */
  dev?: boolean
  /** The package that is installed, where another entry of it is imported. */
  installs?: string
  /** Packages that are installed with it. */
  also?: string
}

/**
 * Imports a package that may not be installed.
 *
 * @param importPackage defaults to `import()`, which webpack leaves to Node
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function importOptional<Module>(
  name: string,
  importPackage: (name: string) => Promise<Module> = (name) => import(/* webpackIgnore: true */ name),
  options?: ImportOptions,
): Promise<Module> {
  try {
    return await importPackage(name)
  } catch (cause) {
    throw importError(cause, name, options)
  }
}

/** Imports the package that records and replays models. Only development has it. */
export function importTesting(importPackage?: (name: string) => Promise<Testing>): Promise<Testing> {
  return importOptional('@agentkit/testing', importPackage, { dev: true })
}

/** Imports the package that runs evals. Only development has it. */
export function importEvals(importPackage?: (name: string) => Promise<EvalsPackage>): Promise<EvalsPackage> {
  return importOptional('@agentkit/evals/internal', importPackage, { installs: '@agentkit/evals', dev: true })
}

/** Imports the package that connects to MCP servers. */
export function importMcp(): Promise<McpPackage> {
  return importOptional('@agentkit/mcp/internal', undefined, { installs: '@agentkit/mcp' })
}

/** Imports the package that reads skills. */
export function importSkills(): Promise<SkillsPackage> {
  return importOptional('@agentkit/skills/internal', undefined, { installs: '@agentkit/skills' })
}

/** Imports what checks where telemetry goes. */
export function importTelemetry(): Promise<TelemetryInternal> {
  const also = telemetryPeers.map((peer) => `@opentelemetry/${peer}`).join(' ')
  return importOptional('@agentkit/telemetry/internal', undefined, { installs: '@agentkit/telemetry', also })
}

/**
 * The package that reads files. It is loaded by `require`, so that `new Agent` can check its options. The package
 * imports what one kind of file or store needs later, when it needs it.
 *
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export function requireRetriever(load?: Load): RetrieverPackage {
  return requireOptional('@agentkit/retriever', load) as RetrieverPackage // its exports
}

/**
 * The package of the queue in Postgres. It is loaded by `require`, as a store has its queue from the start.
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export function requirePostgresQueue(load?: Load): QueuePackage {
  return requireOptional('@agentkit/queue-postgres', load, { also: 'pg' }) as QueuePackage // its exports
}

/** The sessions in all databases; those in SQLite have an entry of their own. It is loaded by `require`, beside the queue. */
export function requireSessions(): SessionsPackage {
  return ownRequire('@agentkit/sessions') as SessionsPackage // the exports of the package of this name
}

/**
 * The package of memory. It is loaded by `require`, so that `new Agent` can check its options.
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export function requireMemory(load?: Load): MemoryPackage {
  return requireOptional('@agentkit/memory', load) as MemoryPackage // its exports
}

/** The packages that `@agentkit/telemetry` needs to export over OTLP. */
const telemetryPeers = [
  'api',
  'sdk-trace',
  'sdk-metrics',
  'resources',
  'exporter-trace-otlp-proto',
  'exporter-metrics-otlp-proto',
]

/**
 * The package that traces runs. It is loaded by `require`, so that it traces the first run.
 * @throws AgentKitError `missing-package` with the command that installs it and the packages of OpenTelemetry
 */
export function requireTelemetry(load: Load = ownRequire): TelemetryPackage {
  const name = '@agentkit/telemetry'
  try {
    return load(name) as TelemetryPackage // the exports of the package of this name
  } catch (cause) {
    // npm installs its peer with it; other package managers may not.
    const absent = [name, '@opentelemetry/api'].find((each) => isPackageMissing(cause, each))
    if (absent === undefined) throw cause
    const command = `npm i ${[name, ...telemetryPeers.map((peer) => `@opentelemetry/${peer}`)].join(' ')}`
    const message = `The package ${absent} is not installed. Run: ${command}`
    throw new AgentKitError('missing-package', message, { cause })
  }
}

type Load = (name: string) => unknown

function requireOptional(name: string, load: Load = ownRequire, options?: ImportOptions): unknown {
  try {
    return load(name)
  } catch (cause) {
    throw importError(cause, name, options)
  }
}

/**
 * The error of a failed import: `missing-package` when the package itself is missing, otherwise the cause unchanged.
 */
function importError(
  cause: unknown,
  name: string,
  { provider, dev, also, installs = name }: ImportOptions = {},
): unknown {
  if (!isPackageMissing(cause, installs)) return cause
  const command = `npm i ${dev ? '-D ' : ''}${installs}${also ? ` ${also}` : ''}`
  const message = `The package ${installs} is not installed. Run: ${command}`
  return new AgentKitError('missing-package', message, { cause, ...(provider !== undefined && { provider }) })
}
