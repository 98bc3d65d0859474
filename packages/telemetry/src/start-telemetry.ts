import { AgentKitError } from '@agentkit/core'
import { checkOptions, isAny, isFlag, isOneOf, type OptionRules, setTracer } from '@agentkit/core/internal'
import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { type ConventionsVersion, conventions } from './conventions.ts'
import { importPeers } from './import-peers.ts'

export type TelemetryOptions = {
  /** The version of the GenAI semantic conventions whose names are used. Default `"0.1.0"`. */
  conventions?: ConventionsVersion
  /**
   * Whether spans have messages, arguments and results, without secrets and cut to size. Default: whether
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `true`.
   */
  content?: boolean
  /** Default: the provider that the process has registered, else an exporter over OTLP. */
  tracerProvider?: TracerProvider
  meterProvider?: MeterProvider
}

/** Telemetry that runs. */
export type Telemetry = {
  /** Stops it, and exports what is left, for two seconds at most. It does not shut down providers of the process. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const rules: OptionRules<TelemetryOptions> = {
  conventions: isOneOf(Object.keys(conventions)),
  content: isFlag,
  tracerProvider: isAny,
  meterProvider: isAny,
}

let running: Telemetry | undefined

/**
 * Traces and measures every run of this process. Spans and metrics go to the providers of OpenTelemetry that the process
 * has registered; where there are none, to the OTLP endpoint of the variables `OTEL_EXPORTER_OTLP_*` (default
 * `http://localhost:4318`).
 *
 * @throws AgentKitError `missing-package` with the command that installs the packages of OpenTelemetry, `invalid-config`
 *   for a variable that cannot be used, `invalid-argument` for an unknown option, and where telemetry runs already
 * @example
 * await using telemetry = await startTelemetry()
 * await agent.chat('Hello')
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 */
export async function startTelemetry(options: TelemetryOptions = {}): Promise<Telemetry> {
  checkOptions(options, rules, { of: 'startTelemetry()', example: '{ content: true }' })
  if (running) throw new AgentKitError('invalid-argument', 'Telemetry runs already. Close it before it starts again.')
  // Two calls at once must not both start.
  running = telemetryOf(async () => {})
  try {
    const telemetry = await start(options, () => {
      if (running === telemetry) running = undefined
    })
    running = telemetry
    return telemetry
  } catch (error) {
    running = undefined
    throw error
  }
}

async function start(
  { conventions: version = '0.1.0', content, tracerProvider, meterProvider }: TelemetryOptions,
  closed: () => void,
): Promise<Telemetry> {
  const { metrics, trace } = await importPeers('@opentelemetry/api', () => import('@opentelemetry/api'))
  const [{ createTracer }, { hasProvider, useContexts }] = await Promise.all([
    import('./create-tracer.ts'),
    import('./registered.ts'),
  ])
  const isGiven = tracerProvider !== undefined || meterProvider !== undefined
  const otlp = isGiven || hasProvider() ? undefined : await (await import('./otlp.ts')).startOtlp()
  useContexts()
  const [name, names] = ['@agentkit/telemetry', conventions[version]]
  const hasContent = content ?? process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === 'true'
  const remove = setTracer(
    createTracer({
      tracer: (tracerProvider ?? trace.getTracerProvider()).getTracer(name),
      meter: (meterProvider ?? metrics.getMeterProvider()).getMeter(name),
      names,
      hasContent,
    }),
  )
  return telemetryOf(async () => {
    closed()
    remove()
    await otlp?.close()
  })
}

function telemetryOf(close: () => Promise<void>): Telemetry {
  return { close, [Symbol.asyncDispose]: close }
}
