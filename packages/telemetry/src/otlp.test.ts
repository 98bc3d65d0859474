import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { Agent } from '@agentkit/core'
import { tracer } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { metrics, trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { inspectOtlp } from './inspect-otlp.ts'
import { exportsOf, startOtlp } from './otlp.ts'
import { hasProvider } from './registered.ts'
import { requirePeer } from './require-peer.ts'
import { startTelemetry } from './start-telemetry.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  trace.disable()
  metrics.disable()
})

/** A collector on loopback, which keeps what it receives. */
async function collector(answer: (request: IncomingMessage, response: ServerResponse) => void = (_, r) => r.end()) {
  const requests: { path: string; type: string; headers: IncomingMessage['headers']; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray())
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    const type = request.headers['content-type'] ?? ''
    requests.push({ path: request.url ?? '', type, headers: request.headers, body })
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function chat(): Promise<void> {
  const model = scriptedModel([{ text: 'Hello.', usage: { inputTokens: 4, outputTokens: 2 } }])
  await new Agent({ name: 'Clerk', functions: [], model }).chat('A question')
}

type ExportedSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: ExportedAttribute[]
}
type ExportedAttribute = { key: string; value: Record<string, unknown> }

describe('the export over OTLP', () => {
  it('sends spans and metrics as JSON, with the resource of the variables', async () => {
    await using server = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-team=garden')
    vi.stubEnv('OTEL_SERVICE_NAME', 'shop')
    const telemetry = startTelemetry()
    await chat()
    await telemetry.close()

    const sent = server.requests.find(({ path }) => path === '/v1/traces')
    expect(sent?.headers['x-team']).toBe('garden')
    const [resourceSpans] = JSON.parse(String(sent?.body)).resourceSpans
    expect(resourceSpans.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'shop' } })
    const spans: ExportedSpan[] = resourceSpans.scopeSpans.flatMap(({ spans }: { spans: ExportedSpan[] }) => spans)
    const run = spans.find(({ name }) => name === 'invoke_agent Clerk')
    const call = spans.find(({ name }) => name === 'chat scripted')
    expect(spans).toHaveLength(2)
    expect(run?.parentSpanId).toBeUndefined()
    expect([call?.traceId, call?.parentSpanId]).toEqual([run?.traceId, run?.spanId])
    expect(call?.attributes).toContainEqual({ key: 'gen_ai.usage.input_tokens', value: { intValue: 4 } })
    const measured = server.requests.find(({ path }) => path === '/v1/metrics')
    expect(String(measured?.body)).toContain('gen_ai.client.inference.usage.input_tokens')
    expect(server.requests.map(({ body }) => String(body)).join()).not.toContain('A question')
  })

  it('sends protobuf by default', async () => {
    await using server = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    const telemetry = startTelemetry()
    await chat()
    await telemetry.close()
    expect(server.requests.map(({ path, type }) => [path, type]).toSorted()).toEqual([
      ['/v1/metrics', 'application/x-protobuf'],
      ['/v1/traces', 'application/x-protobuf'],
    ])
    const body = server.requests.find(({ path }) => path === '/v1/traces')?.body ?? Buffer.of()
    expect(stringsOf(body)).toEqual(
      expect.arrayContaining(['invoke_agent Clerk', 'chat scripted', 'gen_ai.usage.input_tokens']),
    )
  })

  it('ends with a collector that never answers', async () => {
    await using server = await collector(() => {})
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    const telemetry = startTelemetry()
    await chat()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isClosed = false
    const closed = telemetry.close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(1_999)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(hasProvider()).toBe(false)
  })

  it('waits for a collector that never answers once: in a flush, or as it is closed', async () => {
    await using server = await collector(() => {})
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    const telemetry = startTelemetry()
    await chat()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const flushed = tracer()?.flush?.()
    await vi.advanceTimersByTimeAsync(2_000)
    await flushed
    const closed = telemetry.close()
    await vi.advanceTimersByTimeAsync(0)
    await closed
    expect(hasProvider()).toBe(false)
  })

  // The SDK's own exports would follow each other for ever.
  it.each([
    { name: 'never answers', answer: () => {} },
    { name: 'is overloaded', answer: (_: unknown, response: ServerResponse) => void response.writeHead(503).end() },
  ])('lets a program end while it exports to a collector that $name', { timeout: 30_000 }, async ({ answer }) => {
    const program = new URL('__fixtures__/ending-program.ts', import.meta.url)
    let child: ChildProcess | undefined
    let isReported = false
    await using server = await collector((request, response) => {
      if (!isReported) child?.send('received')
      isReported = true
      answer(request, response)
    })
    child = fork(program, {
      execArgv: ['--conditions=@agentkit/source', '--no-warnings'],
      env: {
        ...process.env,
        ...{
          OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
          OTEL_METRIC_EXPORT_INTERVAL: '10',
          OTEL_BSP_SCHEDULE_DELAY: '10',
        },
      },
    })
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('keeps no span by a sampler that drops all', async () => {
    await using server = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'parentbased_traceidratio')
    vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', '0')
    const telemetry = startTelemetry()
    await chat()
    await telemetry.close()
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/metrics'])
  })

  it('leaves out the variables of a signal that is not exported', () => {
    const env = { OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' }
    expect(exportsOf(env)).toEqual({ traces: 'proto' })
  })

  it('is none where the process has registered a provider of its own', async () => {
    await using server = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    const { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace')
    const exporter = new InMemorySpanExporter()
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
    const telemetry = startTelemetry()
    await chat()
    await telemetry.close()
    expect(server.requests).toEqual([])
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['chat scripted', 'invoke_agent Clerk'])
  })

  it('batches spans and cuts attributes as the variables say', async () => {
    await using server = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', server.url)
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
    vi.stubEnv('OTEL_METRICS_EXPORTER', 'none')
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1')
    vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '10')
    vi.stubEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '1')
    vi.stubEnv('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', '100')
    vi.stubEnv('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', '4')
    const telemetry = startTelemetry()
    await chat()
    // Before the telemetry is closed.
    await vi.waitUntil(() => server.requests.length === 2, { timeout: 4_000 })
    await telemetry.close()
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/traces'])
    expect(server.requests.map(({ body }) => String(body)).join()).toContain('{"stringValue":"invo"}')
  })

  it.each([
    [{ OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_SDK_DISABLED: 'True', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ])('is none with %o', async (env) => {
    const otlp = startOtlp(env)
    expect(hasProvider()).toBe(false)
    await otlp.close()
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'Set it to "http/protobuf"'],
    [{ OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, 'Set it to one, such as "http://localhost:4318"'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'Bearer' }, 'OTEL_EXPORTER_OTLP_HEADERS has an entry that is no header'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b,=c' }, 'Set it to `name=value`'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b,a name=c' }, 'Set it to `name=value`'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=ключ' }, 'percent-encoded'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=50%' }, 'percent-encoded'],
    [{ OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=b%0d%0ac: d' }, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'],
    [{ OTEL_TRACES_EXPORTER: 'jaeger' }, 'Set it to "otlp" or "none"'],
    [{ OTEL_TRACES_SAMPLER: 'some' }, 'Set it to one of always_on'],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 'Set it to a number'],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '-1' }, 'Set it to a number'],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '0' }, 'Set it to a number of 1 or more'],
    [{ OTEL_METRIC_EXPORT_TIMEOUT: '0' }, 'OTEL_METRIC_EXPORT_TIMEOUT is "0"'],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: '0' }, 'Set it to a number of 1 or more'],
    [{ OTEL_BSP_SCHEDULE_DELAY: '5s' }, 'OTEL_BSP_SCHEDULE_DELAY is "5s"'],
    [{ OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: 'all' }, 'Set it to a number'],
  ])('refuses %o with the fix, in `agentkit doctor` too', async (env, fix) => {
    const refused = expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(fix) })
    expect(() => startOtlp(env)).toThrow(refused)
    expect(hasProvider()).toBe(false)
    const asked = { isOffline: true, signal: AbortSignal.timeout(5_000) }
    await expect(inspectOtlp(env, asked)).rejects.toEqual(refused)
  })

  it('takes headers as the specification writes them', async () => {
    const headers = 'Authorization=Basic dTpw==, x-tenant=a%2Cb%20c,'
    await startOtlp({ OTEL_EXPORTER_OTLP_HEADERS: headers }).close()
  })

  it('is asked for by `agentkit doctor` with the user of the address, and with the headers before it', async () => {
    await using own = await collector()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: own.url.replace('//', '//ada:se%3Acret@') }
    const asked = { isOffline: false, signal: AbortSignal.timeout(5_000) }
    const findings = await inspectOtlp(env, asked)
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'ok'])
    expect(JSON.stringify(findings)).not.toContain('ada')
    const basic = `Basic ${Buffer.from('ada:se:cret').toString('base64')}`
    expect(own.requests[0]).toMatchObject({ type: 'application/x-protobuf', headers: { authorization: basic } })
    await inspectOtlp({ ...env, OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer x' }, asked)
    expect(own.requests.at(-1)?.headers.authorization).toBe('Bearer x')
  })

  it('names one line that installs all packages, where one is missing', () => {
    const missing = (name: string): unknown => createRequire(import.meta.url)(`${name}-not-there`)
    const line =
      'Run: npm i @agentkit/telemetry @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto @opentelemetry/exporter-metrics-otlp-proto'
    const error = expect.objectContaining({ code: 'missing-package', message: expect.stringContaining(line) })
    expect(() => requirePeer('@opentelemetry/sdk-trace', 'proto', missing)).toThrow(error)
  })
})

/** The texts in a message of protobuf: fields of wire type 2 that are printable, at any depth. */
function stringsOf(bytes: Buffer): string[] {
  const found: string[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; at < bytes.length; shift *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * shift
      if (byte < 0x80) break
    }
    return value
  }
  while (at < bytes.length) {
    const wire = varint() % 8
    if (wire === 0) varint()
    else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else if (wire === 2) {
      const length = varint()
      const field = bytes.subarray(at, at + length)
      at += length
      if (/^[\x20-\x7e]+$/.test(field.toString('latin1'))) found.push(field.toString())
      else found.push(...stringsOf(field))
    } else return found
  }
  return found
}
