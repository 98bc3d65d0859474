import { AgentKitError } from '@agentkit/core'
import { checkOptions, hasMethod, isFlag, isOneOf, type OptionRules, setTracer, tracer } from '@agentkit/core/internal'
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { type ConventionsVersion, conventions } from './conventions.ts'
import { createTracer } from './create-tracer.ts'
import { inTime, startOtlp } from './otlp.ts'
import { hasProvider, useContexts } from './registered.ts'

/** The names and contents of spans, and the OpenTelemetry providers that receive them. */
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
  /**
   * Stops the telemetry, and exports the pending data, for two seconds at most. It does not shut down providers of the
   * process.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const rules: OptionRules<TelemetryOptions> = {
  conventions: isOneOf(Object.keys(conventions)),
  content: isFlag,
  tracerProvider: hasMethod('getTracer', 'a TracerProvider of OpenTelemetry'),
  meterProvider: hasMethod('getMeter', 'a MeterProvider of OpenTelemetry'),
}

/**
 * Traces and measures every run of this process. Spans and metrics go to the providers of OpenTelemetry that the process
 * has registered; where there are none, to the OTLP endpoint of the variables `OTEL_EXPORTER_OTLP_*` (default
 * `http://localhost:4318`).
 *
 * @throws AgentKitError `missing-package` with the command that installs the packages of OpenTelemetry, `invalid-config`
 *   for a variable that cannot be used, `invalid-argument` for an unknown option, and where telemetry runs already
 * @example
 * await using telemetry = startTelemetry()
 * await agent.chat('Hello')
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 */
export function startTelemetry(options: TelemetryOptions = {}): Telemetry {
  checkOptions(options, rules, { of: 'startTelemetry()', example: '{ content: true }' })
  if (tracer()) throw new AgentKitError('invalid-argument', 'Telemetry runs already. Close it before it starts again.')
  const { conventions: version = '0.1.0', content, tracerProvider, meterProvider } = options
  const isGiven = tracerProvider !== undefined || meterProvider !== undefined
  const otlp = isGiven || hasProvider() ? undefined : startOtlp()
  useContexts()
  const name = '@agentkit/telemetry'
  let closing: Promise<void> | undefined
  const flush = (): Promise<void> => {
    if (otlp) return otlp.flush()
    return flushProviders([tracerProvider ?? trace.getTracerProvider(), meterProvider ?? metrics.getMeterProvider()])
  }
  const close = (): Promise<void> => {
    remove()
    closing ??= otlp ? otlp.close() : flush()
    return closing
  }
  const remove = setTracer({
    ...createTracer({
      tracer: (tracerProvider ?? trace.getTracerProvider()).getTracer(name),
      meter: (meterProvider ?? metrics.getMeterProvider()).getMeter(name),
      names: conventions[version],
      hasContent: content ?? process.env[contentVariable]?.toLowerCase() === 'true',
    }),
    flush,
    close,
  })
  return { close, [Symbol.asyncDispose]: close }
}

/** Exports the pending data of the process's providers, if they support it, as the SDK's do. */
async function flushProviders(providers: readonly (TracerProvider | MeterProvider)[]): Promise<void> {
  const exports = providers.map(async (given) => {
    // The API returns a proxy of the registered provider.
    const provider: object =
      'getDelegate' in given && typeof given.getDelegate === 'function' ? given.getDelegate() : given
    if ('forceFlush' in provider && typeof provider.forceFlush === 'function') await provider.forceFlush()
  })
  await inTime(exports)
}

const contentVariable = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'
