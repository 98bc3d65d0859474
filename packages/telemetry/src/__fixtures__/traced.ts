import type { MetricData } from '@opentelemetry/sdk-metrics'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { startTelemetry, type TelemetryOptions } from '../start-telemetry.ts'

export type Traced = {
  tracerProvider: TracerProvider
  spans(): ReadableSpan[]
  /** Each span below its parent: the names, indented. */
  tree(): string[]
  metrics(): Promise<MetricData[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** Telemetry that exports to memory. */
export async function traced(options: TelemetryOptions = {}): Promise<Traced> {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const telemetry = startTelemetry({ tracerProvider, meterProvider, ...options })
  return {
    tracerProvider,
    spans: () => exporter.getFinishedSpans(),
    tree: () => linesOf(exporter.getFinishedSpans()),
    async metrics() {
      await meterProvider.forceFlush()
      return metricExporter.getMetrics().at(-1)?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
    },
    async [Symbol.asyncDispose]() {
      await telemetry.close()
      await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
    },
  }
}

function linesOf(spans: readonly ReadableSpan[], parent?: ReadableSpan, depth = 0): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  const children = spans.filter(({ parentSpanContext }) =>
    parent ? parentSpanContext?.spanId === parent.spanContext().spanId : !ids.has(parentSpanContext?.spanId ?? ''),
  )
  const inOrder = children.toSorted((a, b) => nanoseconds(a) - nanoseconds(b))
  return inOrder.flatMap((span) => {
    const error = span.attributes['error.type']
    const line = `${'  '.repeat(depth)}${span.name}${error === undefined ? '' : ` !${error}`}`
    return [line, ...linesOf(spans, span, depth + 1)]
  })
}

function nanoseconds({ startTime: [seconds, nanos] }: ReadableSpan): number {
  return (seconds % 1_000_000) * 1e9 + nanos
}
