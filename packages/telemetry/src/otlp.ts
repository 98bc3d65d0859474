import { invalidConfig } from '@agentkit/core/internal'
import { metrics, trace } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import { letProcessEnd } from './let-process-end.ts'
import { limits } from './limits.ts'
import { batchesOf, type Env, metricTimesOf, numberOf, spanLimitsOf } from './number-variables.ts'
import { type Encoding, requirePeer } from './require-peer.ts'

export type Signal = 'traces' | 'metrics'
type Provider = { register(): void; flush(): Promise<void>; shutdown(): Promise<void>; disable(): void }

/**
 * Registers providers that export over OTLP by HTTP, with the variables of
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and
 * https://opentelemetry.io/docs/languages/sdk-configuration/general/.
 * @throws AgentKitError `invalid-config` for a variable that cannot be used, `missing-package`
 */
export function startOtlp(env: Env = process.env): { flush(): Promise<void>; close(): Promise<void> } {
  const { traces, metrics } = exportsOf(env)
  const providers: Provider[] = []
  if (traces) providers.push(exportTraces(env, traces))
  if (metrics) providers.push(exportMetrics(env, metrics))
  // Once nothing can fail any more.
  for (const { register } of providers) register()

  /** Whether the collector has not answered the last flush: it gets no further time. */
  let isLate = false
  const stop = (): Promise<boolean> => {
    return inTime(
      providers.map((provider) => provider.shutdown()),
      isLate ? 0 : limits.shutdownMs,
    )
  }
  // The program has ended: an export to a collector that hangs must not keep it.
  const onExit = (): void => void stop().then((isDone) => (isDone ? undefined : process.exit()))
  if (providers.length > 0) process.once('beforeExit', onExit)
  return {
    async flush() {
      isLate = !(await inTime(providers.map((provider) => provider.flush())))
    },
    async close() {
      process.removeListener('beforeExit', onExit)
      await stop()
      for (const { disable } of providers) disable()
    },
  }
}

/**
 * The exported signals, with their encodings.
 * @throws AgentKitError `invalid-config` for a variable that cannot be used
 */
export function exportsOf(env: Env): { [Name in Signal]?: Encoding } {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return {}
  const signals = (['traces', 'metrics'] as const).filter((signal) => isExported(env, signal))
  // Without an exported signal, the variables belong to other programs.
  if (signals.length === 0) return {}
  const encodings = Object.fromEntries(signals.map((signal) => [signal, encodingOf(env, signal)]))
  const infixes = ['', ...signals.map((signal) => `${signal.toUpperCase()}_`)]
  checkEndpoints(env, infixes)
  checkHeaders(env, infixes)
  return encodings
}

/** @returns whether everything was exported, or failed, in time */
export async function inTime(exports: readonly Promise<unknown>[], ms: number = limits.shutdownMs): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const all = Promise.allSettled(exports)
  try {
    return await Promise.race([all.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function isExported(env: Env, signal: Signal): boolean {
  const variable = `OTEL_${signal.toUpperCase()}_EXPORTER`
  const value = env[variable] || 'otlp'
  if (value !== 'otlp' && value !== 'none') {
    throw invalidConfig(`${variable} is "${value}". Set it to "otlp" or "none", or register a provider of your own.`)
  }
  return value === 'otlp'
}

function encodingOf(env: Env, signal: Signal): Encoding {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`
  const variable = env[own] ? own : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const value = env[variable] || 'http/protobuf'
  if (value === 'http/protobuf') return 'proto'
  if (value === 'http/json') return 'http'
  const port = value === 'grpc' ? ' A collector listens for it on port 4318, for grpc on 4317.' : ''
  throw invalidConfig(`${variable} is "${value}", which is not supported. Set it to "http/protobuf".${port}`)
}

function checkEndpoints(env: Env, infixes: readonly string[]): void {
  for (const infix of infixes) {
    const variable = `OTEL_EXPORTER_OTLP_${infix}ENDPOINT`
    const value = env[variable]
    if (!value) continue
    const { protocol } = URL.parse(value) ?? {}
    // The value may have a password in it.
    if (protocol !== 'http:' && protocol !== 'https:') {
      throw invalidConfig(`${variable} is not an address of HTTP. Set it to one, such as "http://localhost:4318".`)
    }
  }
}

/** The exporters drop an entry that they cannot read, and every export for a header that cannot be sent. */
function checkHeaders(env: Env, infixes: readonly string[]): void {
  for (const infix of infixes) {
    const variable = `OTEL_EXPORTER_OTLP_${infix}HEADERS`
    const entries = env[variable]?.split(',').filter((entry) => entry.trim() !== '') ?? []
    if (entries.every(isHeader)) continue
    // The values are secrets.
    throw invalidConfig(
      `${variable} has an entry that is no header. Set it to \`name=value\`, several joined by commas, with ` +
        'other characters than those of ASCII, and commas, percent-encoded.',
    )
  }
}

function isHeader(entry: string): boolean {
  const [name = '', ...value] = entry.split('=')
  if (value.length === 0) return false
  try {
    new Headers([[decodeURIComponent(name.trim()), decodeURIComponent(value.join('=').trim())]])
    return true
  } catch {
    return false
  }
}

// The exporters read the variables for address, headers, certificates, compression and time. The casts hold: each
// package exports the exporter of its name.

export const exporters = {
  proto: { traces: '@opentelemetry/exporter-trace-otlp-proto', metrics: '@opentelemetry/exporter-metrics-otlp-proto' },
  http: { traces: '@opentelemetry/exporter-trace-otlp-http', metrics: '@opentelemetry/exporter-metrics-otlp-http' },
} as const

type TraceSettings = {
  sdk: typeof import('@opentelemetry/sdk-trace')
  batches: ReturnType<typeof batchesOf>
  spanLimits: ReturnType<typeof spanLimitsOf>
  sampler: Sampler | undefined
}
type MetricSettings = {
  sdk: typeof import('@opentelemetry/sdk-metrics')
  times: ReturnType<typeof metricTimesOf>
}

/** The settings of an export, read by `agentkit doctor` too, which exports nothing. */
export const settingsOf = {
  traces(env: Env, encoding: Encoding): TraceSettings {
    const sdk = requirePeer('@opentelemetry/sdk-trace', encoding) as typeof import('@opentelemetry/sdk-trace')
    return { sdk, batches: batchesOf(env), spanLimits: spanLimitsOf(env), sampler: samplerOf(env, sdk) }
  },
  metrics(env: Env, encoding: Encoding): MetricSettings {
    const sdk = requirePeer('@opentelemetry/sdk-metrics', encoding) as typeof import('@opentelemetry/sdk-metrics')
    return { sdk, times: metricTimesOf(env) }
  },
}

function exportTraces(env: Env, encoding: Encoding): Provider {
  const { sdk, batches, spanLimits, sampler } = settingsOf.traces(env, encoding)
  const { OTLPTraceExporter } = requirePeer(exporters[encoding].traces, encoding) as {
    OTLPTraceExporter: new () => SpanExporter
  }
  const provider = new sdk.TracerProvider({
    resource: resourceOf(encoding),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: letProcessEnd(new OTLPTraceExporter()), ...batches })],
    spanLimits,
    ...(sampler && { sampler }),
  })
  return {
    register: () => void trace.setGlobalTracerProvider(provider),
    flush: () => provider.forceFlush(),
    shutdown: () => provider.shutdown(),
    disable: () => trace.disable(),
  }
}

function exportMetrics(env: Env, encoding: Encoding): Provider {
  const { sdk, times } = settingsOf.metrics(env, encoding)
  const { OTLPMetricExporter } = requirePeer(exporters[encoding].metrics, encoding) as {
    OTLPMetricExporter: new () => PushMetricExporter
  }
  const exporter = letProcessEnd(new OTLPMetricExporter())
  const reader = new sdk.PeriodicExportingMetricReader({ exporter, ...times })
  const provider = new sdk.MeterProvider({ resource: resourceOf(encoding), readers: [reader] })
  return {
    register: () => void metrics.setGlobalMeterProvider(provider),
    flush: () => provider.forceFlush(),
    shutdown: () => provider.shutdown(),
    disable: () => metrics.disable(),
  }
}

function resourceOf(encoding: Encoding): Resource {
  const loaded = requirePeer('@opentelemetry/resources', encoding) as typeof import('@opentelemetry/resources')
  const { defaultResource, detectResources, envDetector } = loaded
  return defaultResource().merge(detectResources({ detectors: [envDetector] }))
}

/**
 * The sampler of the environment variables:
 * https://opentelemetry.io/docs/languages/sdk-configuration/general/#otel_traces_sampler.
 */
function samplerOf(env: Env, sdk: typeof import('@opentelemetry/sdk-trace')): Sampler | undefined {
  const name = env.OTEL_TRACES_SAMPLER
  if (!name) return undefined
  const ratio = numberOf(env, 'OTEL_TRACES_SAMPLER_ARG', 1)
  const roots: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }
  const known = Object.keys(roots).flatMap((root) => [root, `parentbased_${root}`])
  const root = known.includes(name) ? roots[name.replace(/^parentbased_/, '')]?.() : undefined
  if (!root) throw invalidConfig(`OTEL_TRACES_SAMPLER is "${name}". Set it to one of ${known.join(', ')}.`)
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root
}
