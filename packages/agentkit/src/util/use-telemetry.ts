import { tracer } from '@agentkit/core/internal'
import { requireTelemetry } from './import-optional.ts'

/**
 * Starts the telemetry that the configuration names, once per process; not where the program has started it.
 * @throws AgentKitError `missing-package`, `invalid-config`
 */
export function useTelemetry(telemetry: 'otlp' | undefined): void {
  if (telemetry !== undefined && !tracer()) requireTelemetry().startTelemetry()
}

/**
 * Exports what is left, for two seconds at most: before the process exits. Also where the program has started the telemetry,
 * as one that is ended from outside of it cannot close it.
 */
export async function closeTelemetry(): Promise<void> {
  await tracer()?.close?.()
}
