import { tracer } from '@agentkit/core/internal'
import { requireTelemetry } from './import-optional.ts'

/**
 * Starts the telemetry that the configuration names, once per process; not where the program has started it.
 * @throws AgentKitError `missing-package`, `invalid-config`
 */
export function useTelemetry(telemetry: 'otlp' | undefined): void {
  if (telemetry !== undefined && !tracer()) requireTelemetry().startTelemetry()
}

/** Whether the telemetry is closed next, so that agents that close before export nothing themselves. */
let isClosing = false

/**
 * Closes agents, and exports the pending data before the process exits, for two seconds at most. This includes telemetry
 * that the program has started, because a program that is ended from outside cannot close it.
 */
export async function closeWithTelemetry(closeAgents: () => Promise<unknown>): Promise<void> {
  isClosing = true
  try {
    await closeAgents()
  } finally {
    isClosing = false
    await tracer()?.close?.()
  }
}

/** Exports the pending data, for two seconds at most. */
export async function flushTelemetry(): Promise<void> {
  if (!isClosing) await tracer()?.flush?.()
}
