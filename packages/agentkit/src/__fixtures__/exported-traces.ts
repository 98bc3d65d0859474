import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTelemetry } from '@agentkit/telemetry'
import { OTLPTraceExporter as JSONExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import protobuf from 'protobufjs'

/** A span as a backend reads it. */
export type ExportedSpan = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  startedAt: bigint
  links: string[]
  attributes: Record<string, unknown>
}

export type ExportedTraces = {
  tracerProvider: TracerProvider
  /** The spans that have ended, in each form. */
  exported(): Promise<{ memory: ExportedSpan[]; json: ExportedSpan[]; protobuf: ExportedSpan[] }>
  [Symbol.asyncDispose](): Promise<void>
}

/** Telemetry that exports each span to memory, and to a collector as JSON and as protobuf. */
export async function exportedTraces(): Promise<ExportedTraces> {
  const received: { type: string; body: Buffer }[] = []
  const collector = createServer(async (request, response) => {
    received.push({ type: request.headers['content-type'] ?? '', body: Buffer.concat(await request.toArray()) })
    response.end()
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const { port } = collector.address() as AddressInfo // it listens on a port
  const url = `http://127.0.0.1:${port}/v1/traces`
  const memory = new InMemorySpanExporter()
  const exporters = [memory, new JSONExporter({ url }), new ProtobufExporter({ url })]
  const spanProcessors = exporters.map((exporter) => new SimpleSpanProcessor({ exporter }))
  const tracerProvider = new TracerProvider({ spanProcessors })
  const telemetry = startTelemetry({ tracerProvider })
  const read = (type: string, decode: (body: Buffer) => OTLPSpan[]): ExportedSpan[] =>
    received.filter((each) => each.type === type).flatMap(({ body }) => decode(body).map(plainSpan))
  return {
    tracerProvider,
    async exported() {
      await tracerProvider.forceFlush()
      return {
        memory: memory.getFinishedSpans().map(spanInMemory),
        json: read('application/json', (body) => spansOf(JSON.parse(String(body)))),
        protobuf: read('application/x-protobuf', (body) => spansOf(decodeProtobuf(body))),
      }
    },
    async [Symbol.asyncDispose]() {
      await telemetry.close()
      await tracerProvider.shutdown()
      collector.closeAllConnections()
      await new Promise((resolve) => collector.close(resolve))
    },
  }
}

/** Each span below its parent: the names, indented, with the errors. */
export function treeOf(spans: readonly ExportedSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const children = Map.groupBy(spans, ({ parentSpanId }) => (ids.has(parentSpanId) ? parentSpanId : ''))
  const linesBelow = (id: string, depth: number): string[] =>
    (children.get(id) ?? [])
      .toSorted((one, other) => Number(one.startedAt - other.startedAt))
      .flatMap(({ name, spanId, attributes }) => {
        const error = attributes['error.type']
        const line = `${'  '.repeat(depth)}${name}${error === undefined ? '' : ` !${error}`}`
        return [line, ...linesBelow(spanId, depth + 1)]
      })
  return linesBelow('', 0)
}

function spanInMemory(span: ReadableSpan): ExportedSpan {
  const { traceId, spanId } = span.spanContext()
  const [seconds, nanoseconds] = span.startTime
  return {
    name: span.name,
    // OTLP counts them from 1: 0 is a kind that is not known.
    kind: span.kind + 1,
    ...{ traceId, spanId, parentSpanId: span.parentSpanContext?.spanId ?? '' },
    startedAt: BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds),
    links: span.links.map(({ context }) => context.spanId),
    attributes: { ...span.attributes },
  }
}

type OTLPValue = {
  stringValue?: string
  boolValue?: boolean
  intValue?: number | string
  doubleValue?: number
  arrayValue?: { values?: OTLPValue[] }
}
/** A span in the mapping of OTLP to JSON, where ids are in hexadecimal. */
type OTLPSpan = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  links?: { spanId: string }[]
  attributes?: { key: string; value: OTLPValue }[]
}
type OTLPRequest = { resourceSpans?: { scopeSpans?: { spans?: OTLPSpan[] }[] }[] }

function spansOf({ resourceSpans = [] }: OTLPRequest): OTLPSpan[] {
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans))
}

function plainSpan(span: OTLPSpan): ExportedSpan {
  const { name, kind, traceId, spanId, parentSpanId = '', startTimeUnixNano, links = [], attributes = [] } = span
  return {
    ...{ name, kind, traceId, spanId, parentSpanId, startedAt: BigInt(startTimeUnixNano) },
    links: links.map((link) => link.spanId),
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)])),
  }
}

function plainValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: OTLPValue): unknown {
  if (arrayValue) return (arrayValue.values ?? []).map(plainValue)
  return stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue))
}

/**
 * The fields of a span, by which `protobufjs` reads what the exporter of OpenTelemetry has written.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/trace/v1/trace.proto
 */
const schema = `
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    fixed64 start_time_unix_nano = 7;
    repeated KeyValue attributes = 9;
    repeated Link links = 13;
  }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value {
      string string_value = 1;
      bool bool_value = 2;
      int64 int_value = 3;
      double double_value = 4;
      ArrayValue array_value = 5;
    }
  }
  message ArrayValue { repeated AnyValue values = 1; }
`

function decodeProtobuf(body: Buffer): OTLPRequest {
  const type = protobuf.parse(schema).root.lookupType('Request')
  const decoded = type.toObject(type.decode(body), { longs: String, bytes: Array })
  const hex = (bytes: number[] = []): string => Buffer.from(bytes).toString('hex')
  // The names of the schema, as JSON has them too, except for its ids.
  const request = decoded as OTLPRequest
  for (const span of spansOf(request)) {
    const ids = span as unknown as Record<'traceId' | 'spanId' | 'parentSpanId', number[]>
    Object.assign(span, {
      ...{ traceId: hex(ids.traceId), spanId: hex(ids.spanId), parentSpanId: hex(ids.parentSpanId) },
      links: (span.links ?? []).map((link) => ({ spanId: hex(link.spanId as unknown as number[]) })),
    })
  }
  return request
}
