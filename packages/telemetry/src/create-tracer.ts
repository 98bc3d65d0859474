import type { Span, SpanEnd, SpanStart, Tracer } from '@agentkit/core/internal'
import {
  type Context,
  context,
  diag,
  INVALID_SPAN_CONTEXT,
  type Meter,
  type Tracer as OtelTracer,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { endAttributes, errorTypeOf, nameOf, startAttributes } from './attributes.ts'
import type { Conventions } from './conventions.ts'
import { type Calls, createRecorder } from './meters.ts'
import { activeHeaders, contextOf, spanContextOf, traceparentOf } from './trace-headers.ts'

export type TracerParts = { tracer: OtelTracer; meter: Meter; names: Conventions; hasContent: boolean }

/** A span of ours, with the context that is active within it. */
type OwnSpan = Span & { readonly within: Span['within'] }

/** What is known of our spans beside their methods. */
type Place = { context: Context; outer: Context; calls: Calls }

/** Implements core's tracer on OpenTelemetry. */
export function createTracer({ tracer, meter, names, hasContent }: TracerParts): Tracer {
  const record = createRecorder(meter, names)
  const places = new WeakMap<Span, Place>()
  const naming = { names, hasContent }

  function start(about: SpanStart, outer: Context, before?: Span): OwnSpan {
    const { operation, subject } = nameOf(about, names)
    const link = before && spanContextOf(before.id)
    const options = {
      kind: about.type === 'model' || about.type === 'mcp' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: startAttributes(about, naming),
      ...(link && { links: [{ context: link }] }),
    }
    const span =
      quietly(() => tracer.startSpan(`${operation} ${subject}`, options, outer)) ??
      trace.wrapSpanContext(trace.getSpanContext(outer) ?? INVALID_SPAN_CONTEXT)
    const within = trace.setSpan(outer, span)
    const calls: Calls = { model: 0, tool: 0 }
    const startedAt = performance.now()
    let hasEnded = false
    const own: OwnSpan = {
      id: traceparentOf(span.spanContext()),
      within: (work) => context.with(within, work),
      link(id) {
        const earlier = spanContextOf(id)
        if (earlier) quietly(() => span.addLink({ context: earlier }))
      },
      end(end: SpanEnd = {}) {
        if (hasEnded) return
        hasEnded = true
        quietly(() => {
          // A sampler may have dropped it.
          if (span.isRecording()) span.setAttributes(endAttributes(about, end, naming))
          // The message of an error may have text of a model or a tool: its type is enough.
          if (errorTypeOf(end) !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
        })
        quietly(() => record(about, end, (performance.now() - startedAt) / 1_000, calls))
        quietly(() => span.end())
      },
    }
    places.set(own, { context: within, outer, calls })
    return own
  }

  return {
    start(about, { parent, after } = {}) {
      const around = parent && places.get(parent)
      if (around && (about.type === 'model' || about.type === 'tool')) around.calls[about.type]++
      return start(about, around?.context ?? contextAfter(after && places.get(after)), after)
    },
    continueTrace(header, work, { overrides = false } = {}) {
      // Instrumentation of HTTP has read the headers.
      if (!overrides && trace.getSpan(context.active())) return work()
      const continued = quietly(() => contextOf(header))
      return continued ? context.with(continued, work) : work()
    },
    headers: () => quietly(activeHeaders) ?? {},
  }
}

/** A processor, a meter or a propagator of the process that throws fails no run: OpenTelemetry's own log has its error. */
function quietly<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    diag.error('@agentkit/telemetry: a part of OpenTelemetry threw.', error)
    return undefined
  }
}

/** A span that continues another one is beside it; below it where that is the first one of its trace. */
function contextAfter(earlier: Place | undefined): Context {
  if (!earlier) return context.active()
  return trace.getSpanContext(earlier.outer) ? earlier.outer : earlier.context
}
