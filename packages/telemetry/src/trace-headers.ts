import {
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  propagation,
  type SpanContext,
  trace,
} from '@opentelemetry/api'
import { limits } from './limits.ts'

/** A span as a W3C `traceparent`: https://www.w3.org/TR/trace-context/#traceparent-header. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`
}

/** Version 00 has nothing behind the flags; later ones may. */
const traceparent = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** @returns `undefined` for an invalid `traceparent` */
export function spanContextOf(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text.length > limits.traceparentChars) return undefined
  const [, traceId = '', spanId = '', flags = '0'] = traceparent.exec(text.trim()) ?? []
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(span) ? span : undefined
}

/** The context that a request continues. The propagator of the process, where it has one, reads the headers. */
export function contextOf(header: (name: string) => string | undefined): Context | undefined {
  const active = context.active()
  if (propagation.fields().length > 0) {
    return propagation.extract(active, header, { get: (read, name) => read(name), keys: () => [] })
  }
  const span = spanContextOf(header('traceparent'))
  if (!span) return undefined
  const state = header('tracestate')
  if (state !== undefined && state.length <= 512) span.traceState = createTraceState(state)
  return trace.setSpanContext(active, span)
}

/** The headers by which another process continues the active span. */
export function activeHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  if (propagation.fields().length > 0) return headers
  const span = trace.getSpanContext(context.active())
  if (!span || !isSpanContextValid(span)) return headers
  headers.traceparent = traceparentOf(span)
  const state = span.traceState?.serialize()
  if (state) headers.tracestate = state
  return headers
}
