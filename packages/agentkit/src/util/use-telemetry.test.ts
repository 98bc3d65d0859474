import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tracer } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cliFolder } from '../__fixtures__/cli-folder.ts'
import { Agent } from '../agents/agent.ts'
import { requireTelemetry } from './import-optional.ts'
import { closeTelemetry } from './use-telemetry.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-telemetry-'))
})
afterEach(async () => {
  await closeTelemetry()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function clerk(toml: string): Agent {
  const configPath = join(folder, 'agentkit_config.toml')
  writeFileSync(configPath, toml)
  return new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Hello.']), sessions: ':memory:', configPath })
}

/** A server that takes what is exported, and notes where to. */
async function collector(): Promise<{ url: string; paths: (string | undefined)[]; close(): void }> {
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    paths.push(request.url)
    request.resume()
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return { url: `http://127.0.0.1:${port}`, paths, close: () => void server.close().closeAllConnections() }
}

it('sends the traces of a run where `telemetry = "otlp"` is set in [defaults], and nothing without it', async () => {
  const { url, paths, close } = await collector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)

  await clerk('').chat('Hello')
  expect(tracer()).toBeUndefined()
  const agent = clerk('[defaults]\ntelemetry = "otlp"\n')
  expect(await agent.chat('Hello')).toBe('Hello.')
  expect(tracer()).toBeDefined()
  await closeTelemetry()
  expect(tracer()).toBeUndefined()
  expect(paths.toSorted()).toEqual(['/v1/metrics', '/v1/traces'])
  close()
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
