import { AgentKitError } from '@agentkit/core'

/** How exports are encoded: the last word in the names of the exporters. */
export type Encoding = 'proto' | 'http'

/** The packages of OpenTelemetry beside the API and the exporters. */
const packages = ['sdk-trace', 'sdk-metrics', 'resources'].map((name) => `@opentelemetry/${name}`)

/** The command that installs the packages of OpenTelemetry. */
function installLine(encoding: Encoding = 'proto'): string {
  const others = ['trace', 'metrics'].map((signal) => `@opentelemetry/exporter-${signal}-otlp-${encoding}`)
  return `npm i ${['@agentkit/telemetry', '@opentelemetry/api', ...packages, ...others].join(' ')}`
}

/**
 * Imports a package of OpenTelemetry, which may not be installed.
 * @throws AgentKitError `missing-package` with the command that installs all of them
 */
export async function importPeers<Module>(
  name: string,
  load: () => Promise<Module>,
  encoding?: Encoding,
): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw cause
    const message = `The package ${name} is not installed. Run: ${installLine(encoding)}`
    throw new AgentKitError('missing-package', message, { cause })
  }
}
