import { startTelemetry } from '@agentkit/telemetry'
import type { Setup } from '../contestant.ts'
import { setup as setupAgentKit } from './agentkit.ts'

/** The same with spans and metrics, which are exported over OTLP to the model server as they would be to a collector. */
export const setup: Setup = (baseURL) => {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = new URL(baseURL).origin
  startTelemetry()
  return setupAgentKit(baseURL)
}
