import { startTelemetry } from '@agentkit/telemetry'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Setup } from '../contestant.ts'
import { setup as setupAgentKit } from './agentkit.ts'

/** The same with spans and metrics of OpenTelemetry's SDK, in batches that are not sent anywhere. */
export const setup: Setup = (baseURL) => {
  const exporter: SpanExporter = {
    export: (_, done) => done({ code: 0 }),
    shutdown: async () => {},
    forceFlush: async () => {},
  }
  const tracerProvider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })
  startTelemetry({ tracerProvider, meterProvider: new MeterProvider({ readers: [reader] }) })
  return setupAgentKit(baseURL)
}
