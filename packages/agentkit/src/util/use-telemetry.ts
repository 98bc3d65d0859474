import { tracer } from '@agentkit/core/internal'
import { requireTelemetry } from './import-optional.ts'

let running: { close(): Promise<void> } | undefined

/**
 * Starts the telemetry that the configuration names, once per process; not where the program has started it.
 * @throws AgentKitError `missing-package`, `invalid-config`
 */
export function useTelemetry(telemetry: 'otlp' | undefined): void {
  if (telemetry !== undefined && !tracer()) running = requireTelemetry().startTelemetry()
}

/** Exports what is left, for two seconds at most: before the process exits. */
export async function closeTelemetry(): Promise<void> {
  await running?.close()
  running = undefined
}
