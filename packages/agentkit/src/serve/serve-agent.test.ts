import { memorySessions } from '@agentkit/core'
import type { LogEntry } from '@agentkit/server'
import { parse } from 'smol-toml'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import type { RetentionTable, ServerTable } from '../config/config-keys.ts'
import { retentionKeys, serverKeys } from '../config/config-keys.ts'
import { type ServeOptions, serveOptions } from './serve-agent.ts'

const folder = useFolder()

it('prints lines without control characters for any names', async () => {
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  const agent = new Agent({
    name: 'Test\u001b[31m',
    functions: [],
    model: 'offline/extractive',
    sessions: memorySessions(),
    retrieve: true,
    // Its sync fails, and the message has its name.
    retriever: {
      folder: folder.write('a\u001b]52;c;cm0=\u0007\r\u202e.md', 'a file'),
      indexPath: folder.path('index'),
    },
  })
  const server = await agent.run({ port: 0 })
  await vi.waitUntil(() => folder.printed.length > 0, { timeout: 20_000 })
  await server.close()
  await agent.close()
  const note = ' (for this machine only; behind a proxy it needs `auth`)'
  expect(logged.mock.calls).toEqual([
    [`Test\\u001b[31m listens on ${server.url}${note}`],
    [expect.stringMatching(/^The files in \S+ are watched\.$/)],
  ])
  expect(folder.printed).toEqual([expect.stringContaining('a\\u001b]52;c;cm0=\\u0007\\u000d\\u202e.md" is a file')])
})

it.each([
  [{ auth: { tokens: { 'a-secret-of-ada-1': 'ada' } }, basePath: '/agent' }, '/agent'],
  [{ allowUnauthenticated: true }, ''],
])('prints the address alone where auth or its absence is set: %j', async (options, path) => {
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  const agent = new Agent({ name: 'Test', functions: [], model: 'offline/extractive', sessions: memorySessions() })
  const server = await agent.run({ port: 0, ...options })
  await server.close()
  await agent.close()
  expect(logged.mock.calls).toEqual([[`Test listens on ${server.url}${path}`]])
})

it('says where it listens on every address, as in a container', async () => {
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  const agent = new Agent({ name: 'Test', functions: [], model: 'offline/extractive', sessions: memorySessions() })
  const server = await agent.run({ port: 0, host: '0.0.0.0', allowUnauthenticated: true })
  await server.close()
  await agent.close()
  expect(logged.mock.calls).toEqual([[`Test listens on ${server.url}, and on the other addresses of this machine`]])
})

it.each(['json', 'a function'])('logs the address where the log is %s, and prints nothing', async (kind) => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  const onStderr: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => onStderr.push(String(text)) > 0)
  const entries: LogEntry[] = []
  const log = kind === 'json' ? 'json' : (entry: LogEntry): void => void entries.push(entry)
  const agent = new Agent({ name: 'Test', functions: [], model: 'offline/extractive', sessions: memorySessions() })
  const server = await agent.run({ port: 0, basePath: '/agent', log })
  await server.close()
  await agent.close()
  vi.mocked(process.stderr.write).mockRestore()
  const message = `Test listens on ${server.url}/agent`
  if (kind === 'json') expect(onStderr.map((line) => JSON.parse(line))).toMatchObject([{ level: 30, msg: message }])
  else expect(entries).toEqual([{ time: expect.any(String), level: 'info', message }])
  expect(printed).not.toHaveBeenCalled()
})

describe('serveOptions', () => {
  afterEach(() => void vi.unstubAllEnvs())

  const optionsOf = (
    options: ServeOptions,
    server: ServerTable,
    { production = false, retention = {} as RetentionTable } = {},
  ): ServeOptions => serveOptions(options, { server, retention }, production)

  it('reads absent options from [server]', () => {
    vi.stubEnv('TOKENS', 'a-secret-of-ada-1=ada')
    const table = { host: '127.0.0.2', port: 0, auth_tokens_env: 'TOKENS', cors_origins: ['https://example.com'] }
    const fromTable = {
      host: '127.0.0.2',
      port: 0,
      cors: ['https://example.com'],
      auth: { tokens: { 'a-secret-of-ada-1': 'ada' } },
    }
    expect(optionsOf({}, table)).toEqual(fromTable)
    expect(optionsOf({ port: 8001, host: undefined } as object, table)).toEqual({ ...fromTable, port: 8001 })
    expect(optionsOf({ cors: '*' }, table)).toEqual({ ...fromTable, cors: '*' })
  })

  it('reads no tokens from the environment when `auth` is passed', () => {
    const auth = { tokens: { other: '*' } }
    expect(optionsOf({ auth }, { auth_tokens_env: 'TOKENS' })).toEqual({ auth })
  })

  it('refuses to serve without the tokens that [server] requires', () => {
    expect(() => optionsOf({}, { auth_tokens_env: 'TOKENS' })).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('TOKENS') }),
    )
  })

  it('reads each absent limit and host from [server]', () => {
    const table = {
      allowed_hosts: ['agent.example.com'],
      max_runs: 8,
      max_queued_runs: 16,
      max_held_bytes: 50_000_000,
      max_connections: 100,
      max_requests_per_connection: 10,
    }
    const limits = {
      runs: 8,
      queuedRuns: 16,
      heldBytes: 50_000_000,
      connections: 100,
      requestsPerConnection: 10,
    }
    expect(optionsOf({}, table)).toEqual({ allowedHosts: ['agent.example.com'], limits })
    expect(optionsOf({ limits: { runs: 2, drainMs: 5 }, allowedHosts: [] }, table)).toEqual({
      allowedHosts: [],
      limits: { ...limits, runs: 2, drainMs: 5 },
    })
  })

  it('reads every key of [server] and [retention], each for an option that the server accepts', async () => {
    vi.stubEnv('AGENTKIT_TOKENS', 'a-secret-of-ada-1=ada')
    const examples = (keys: object): object => {
      const lines = Object.entries(keys).map(([name, { example }]) => `${name} = ${example}`)
      return { ...parse(lines.join('\n')) }
    }
    const options = optionsOf({}, examples(serverKeys), { retention: examples(retentionKeys) })
    const { limits = {}, retention = {}, ...rest } = options
    const named = [...Object.keys(rest), ...Object.keys(limits), ...Object.keys(retention)]
    expect(named).toHaveLength(Object.keys({ ...serverKeys, ...retentionKeys }).length)
    const { serve } = await import('@agentkit/server')
    const agent = new Agent({ name: 'Test', functions: [], model: 'offline/extractive', sessions: memorySessions() })
    await (await serve(agent, { ...options, port: 0 })).close()
    await agent.close()
  })

  it('overrides [retention] option by option', () => {
    const retention = { retention_days: 30, max_disk_mb: 100 }
    expect(optionsOf({ retention: { retentionDays: 7 } }, {}, { retention })).toEqual({
      retention: { retentionDays: 7, maxDiskMb: 100 },
    })
  })

  it('logs JSON and serves no pages in production, unless an option overrides it', () => {
    const production = true
    const inProduction = { log: 'json', playground: false, docs: false }
    expect(optionsOf({}, {}, { production })).toEqual(inProduction)
    expect(optionsOf({ log: 'human' }, {}, { production })).toEqual({ ...inProduction, log: 'human' })
    expect(optionsOf({}, { docs: true }, { production })).toEqual({ ...inProduction, docs: true })
    expect(optionsOf({}, {})).toEqual({})
  })
})
