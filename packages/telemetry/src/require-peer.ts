import { createRequire } from 'node:module'
import { AgentKitError } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'

/** How exports are encoded: the last word in the names of the exporters. */
export type Encoding = 'proto' | 'http'

/** The packages of OpenTelemetry beside the API and the exporters. */
const packages = ['sdk-trace', 'sdk-metrics', 'resources'].map((name) => `@opentelemetry/${name}`)

/**
 * Loads a package of OpenTelemetry, which may not be installed. By `require`, so that telemetry runs before the first run.
 * @throws AgentKitError `missing-package` with the command that installs all of them
 */
export function requirePeer(
  name: string,
  encoding: Encoding,
  load: (name: string) => unknown = createRequire(import.meta.url),
): unknown {
  try {
    return load(name)
  } catch (cause) {
    if (systemCode(cause) !== 'MODULE_NOT_FOUND') throw cause
    const message = `The package ${name} is not installed. Run: ${installLine(encoding)}`
    throw new AgentKitError('missing-package', message, { cause })
  }
}

/** The command that installs the packages of OpenTelemetry. */
function installLine(encoding: Encoding): string {
  const exporters = ['trace', 'metrics'].map((signal) => `@opentelemetry/exporter-${signal}-otlp-${encoding}`)
  return `npm i ${['@agentkit/telemetry', '@opentelemetry/api', ...packages, ...exporters].join(' ')}`
}
