import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tracer } from '@agentkit/core/internal'
import { createApp } from '@agentkit/server'
import { mcpServer } from '@agentkit/server/mcp'
import { scriptedModel } from '@agentkit/testing'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cliFolder } from '../__fixtures__/cli-folder.ts'
import { Agent } from '../agents/agent.ts'
import { requireTelemetry } from './import-optional.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-telemetry-'))
})
afterEach(async () => {
  await tracer()?.close?.()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function clerk(toml: string): Agent {
  const configPath = join(folder, 'agentkit_config.toml')
  writeFileSync(configPath, toml)
  return new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Hello.']), sessions: ':memory:', configPath })
}

type Collector = { url: string; paths: (string | undefined)[]; bodies: string[]; close(): void }

/** A server that takes what is exported, and notes where to. */
async function collector(): Promise<Collector> {
  const paths: (string | undefined)[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    paths.push(request.url)
    bodies.push(Buffer.concat(await request.toArray()).toString())
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return { url: `http://127.0.0.1:${port}`, paths, bodies, close: () => void server.close().closeAllConnections() }
}

it('sends the traces of a run where `telemetry = "otlp"` is set in [defaults], and nothing without it', async () => {
  const { url, paths, close } = await collector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)

  await clerk('').chat('Hello')
  expect(tracer()).toBeUndefined()
  const agent = clerk('[defaults]\ntelemetry = "otlp"\n')
  expect(await agent.chat('Hello')).toBe('Hello.')
  expect(tracer()).toBeDefined()
  await tracer()?.close?.()
  expect(tracer()).toBeUndefined()
  expect(paths.toSorted()).toEqual(['/v1/metrics', '/v1/traces'])
  close()
})

it('exports what is left as the agent is closed, after which a program may call process.exit()', async () => {
  const { url, paths, close } = await collector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  const agent = clerk('[defaults]\ntelemetry = "otlp"\n')
  await agent.chat('Hello')
  await agent.close()
  expect(paths.toSorted()).toEqual(['/v1/metrics', '/v1/traces'])
  expect(tracer()).toBeDefined()
  await tracer()?.close?.()
  close()
})

it('continues the trace of the first request to an app, and of the first call of an MCP server', async () => {
  const { url, bodies, close } = await collector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`
  const app = createApp(clerk('[defaults]\ntelemetry = "otlp"\n'), { log: () => {} })
  const answer = await app.request('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ user_id: 'ada', session_id: 's', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
  await tracer()?.close?.()

  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
  await mcpServer(clerk('[defaults]\ntelemetry = "otlp"\n')).connect(serverSide)
  const client = new Client({ name: 'host', version: '1' })
  await client.connect(clientSide)
  await client.callTool({ name: 'ask_agent', arguments: { message: 'Hello' }, _meta: { traceparent } })
  await client.close()
  await tracer()?.close?.()

  const spans = bodies.flatMap((body) => [...body.matchAll(/"traceId":"(\w+)".*?"name":"([^"]+)"/g)])
  const runs = spans.filter(([, , name]) => name === 'invoke_agent Clerk')
  expect(runs.map(([, id]) => id)).toEqual([traceId, traceId])
  close()
})

it('leaves a server healthy whose telemetry cannot start', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc')
  const app = createApp(clerk('[defaults]\ntelemetry = "otlp"\n'), { log: () => {} })
  expect((await app.request('/health')).status).toBe(200)
})

const { write, agentkit } = cliFolder()
write('agentkit_config.toml', '[defaults]\ntelemetry = "otlp"\n')
write(
  'agent.ts',
  `import { Agent } from 'agentkit'
export const agent = new Agent({ name: 'Clerk', functions: [], model: 'offline/extractive', sessions: ':memory:' })
`,
)
write(
  'eval.ts',
  `import { agent } from './agent.ts'
export default { agent, cases: [{ input: 'Hello' }], scorers: [{ name: 'yes', score: () => 1 }] }
`,
)

it.each([[['run', 'agent.ts', 'Hello']], [['chat', 'agent.ts']], [['eval', 'eval.ts']]])(
  'the command %j exports the traces of its runs before it exits',
  { timeout: 60_000 },
  async (words) => {
    const { url, paths, close } = await collector()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url }
    expect(await agentkit(words, { env, input: 'Hello\n' })).toMatchObject({ code: 0 })
    expect(paths.toSorted()).toEqual(['/v1/metrics', '/v1/traces'])
    close()
  },
)

it('refuses grpc with the fix, before the run begins', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc')
  const run = clerk('[defaults]\ntelemetry = "otlp"\n').chat('Hello')
  await expect(run).rejects.toMatchObject({
    code: 'invalid-config',
    message: expect.stringContaining('Set it to "http/protobuf"'),
  })
})

it('refuses another word, and warns of it in the table of an agent', () => {
  expect(() => clerk('[defaults]\ntelemetry = "jaeger"\n')).toThrow('telemetry')
  const { warnings } = clerk('[clerk]\ntelemetry = "otlp"\n').sdkContext.config
  expect(warnings.join()).toContain('"telemetry" is not a key of [clerk]')
})

it('names one command that installs the missing packages', () => {
  const absent = (missing: string) => (): never => {
    throw Object.assign(new Error(`Cannot find package '${missing}'`), { code: 'MODULE_NOT_FOUND' })
  }
  const peers = [
    'api',
    'sdk-trace',
    'sdk-metrics',
    'resources',
    'exporter-trace-otlp-proto',
    'exporter-metrics-otlp-proto',
  ]
  const line = `npm i @agentkit/telemetry ${peers.map((peer) => `@opentelemetry/${peer}`).join(' ')}`
  const error = expect.objectContaining({ code: 'missing-package', message: expect.stringContaining(line) })
  expect(() => requireTelemetry(absent('@agentkit/telemetry'))).toThrow(error)
  expect(() => requireTelemetry(absent('@opentelemetry/api'))).toThrow(error)
})
