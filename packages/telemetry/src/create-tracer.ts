import type { Span, SpanEnd, SpanStart, Tracer } from '@agentkit/core/internal'
import {
  type Context,
  context,
  diag,
  INVALID_SPAN_CONTEXT,
  type Meter,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { beginningOf, endAttributes, errorTypeOf, startAttributes } from './attributes.ts'
import type { Conventions } from './conventions.ts'
import { type Calls, createRecorder, type RecordSpan } from './meters.ts'
import { activeHeaders, contextOf, spanContextOf, traceparentOf } from './trace-headers.ts'

export type TracerParts = { tracer: OtelTracer; meter: Meter; names: Conventions; hasContent: boolean }

/** The parts that all spans of a tracer share. */
type Shared = { record: RecordSpan; naming: { names: Conventions; hasContent: boolean } }

/** The context that a span begins in, and the span of ours around it. */
type Place = { outer: Context; around: OwnSpan | undefined }

/** A span of ours. It is collected with its run: a map from spans to their contexts would keep both until a major collection. */
class OwnSpan implements Span {
  /** The context that is active within the span. */
  readonly context: Context
  /** The context in which the span began. */
  readonly outer: Context
  readonly calls: Calls = { model: 0, tool: 0 }
  /** The name of the agent whose span it is, or is within. */
  readonly agent: string | undefined
  readonly #span: OtelSpan
  readonly #about: SpanStart
  readonly #shared: Shared
  readonly #startedAt = performance.now()
  #hasEnded = false

  constructor(span: OtelSpan, about: SpanStart, { outer, around }: Place, shared: Shared) {
    this.context = trace.setSpan(outer, span)
    this.outer = outer
    this.agent = about.type === 'run' ? about.name : around?.agent
    this.#span = span
    this.#about = about
    this.#shared = shared
  }

  get id(): string {
    return traceparentOf(this.#span.spanContext())
  }

  within<Value>(work: () => Value): Value {
    return context.with(this.context, work)
  }

  link(id: string): void {
    const earlier = spanContextOf(id)
    if (earlier) quietly(() => this.#span.addLink({ context: earlier }))
  }

  end(end: SpanEnd = {}): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { record, naming } = this.#shared
    quietly(() => {
      if (this.#span.isRecording()) this.#span.setAttributes(endAttributes(this.#about, end, naming))
      // The message of an error may have text of a model or a tool: its type is enough.
      if (errorTypeOf(end) !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    })
    quietly(() => record(this.#about, end, (performance.now() - this.#startedAt) / 1_000, this))
    quietly(() => this.#span.end())
  }
}

/** Implements core's tracer on OpenTelemetry. */
export function createTracer({ tracer, meter, names, hasContent }: TracerParts): Tracer {
  const naming = { names, hasContent }
  const shared: Shared = { record: createRecorder(meter, names), naming }

  function start(about: SpanStart, place: Place, before?: Span): Span {
    const { outer } = place
    const { name, attributes } = beginningOf(about, names)
    const link = before && spanContextOf(before.id)
    const options = {
      kind: about.type === 'model' || about.type === 'mcp' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes,
      ...(link && { links: [{ context: link }] }),
    }
    const span =
      quietly(() => tracer.startSpan(name, options, outer)) ??
      trace.wrapSpanContext(trace.getSpanContext(outer) ?? INVALID_SPAN_CONTEXT)
    // A sampler may have dropped it. The SDK reads attributes once here, and twice where a span starts.
    if (span.isRecording()) quietly(() => span.setAttributes(startAttributes(about, naming)))
    return new OwnSpan(span, about, place, shared)
  }

  return {
    start(about, { parent, after } = {}) {
      const around = ownSpan(parent)
      if (around && (about.type === 'model' || about.type === 'tool')) around.calls[about.type]++
      return start(about, { outer: around?.context ?? contextAfter(ownSpan(after)), around }, after)
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

/** @returns `undefined` for a span of another tracer */
function ownSpan(span: Span | undefined): OwnSpan | undefined {
  return span instanceof OwnSpan ? span : undefined
}

/** A span that continues another one is beside it; below it where that is the first one of its trace. */
function contextAfter(earlier: OwnSpan | undefined): Context {
  if (!earlier) return context.active()
  return trace.getSpanContext(earlier.outer) ? earlier.outer : earlier.context
}
