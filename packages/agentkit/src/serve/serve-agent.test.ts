import { memorySessions } from '@agentkit/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { serveOptions } from './serve-agent.ts'

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
  expect(logged.mock.calls).toEqual([[`Test\\u001b[31m listens on ${server.url}`]])
  expect(folder.printed).toEqual([expect.stringContaining('a\\u001b]52;c;cm0=\\u0007\\u000d\\u202e.md" is a file')])
})

describe('serveOptions', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('reads absent options from [server]', () => {
    vi.stubEnv('TOKENS', 'a-secret-of-ada-1=ada')
    const table = { host: '127.0.0.2', port: 0, auth_tokens_env: 'TOKENS', cors_origins: ['https://example.com'] }
    const fromTable = {
      host: '127.0.0.2',
      port: 0,
      cors: ['https://example.com'],
      auth: { tokens: { 'a-secret-of-ada-1': 'ada' } },
    }
    expect(serveOptions({}, table, false)).toEqual(fromTable)
    expect(serveOptions({ port: 8001, host: undefined } as object, table, false)).toEqual({ ...fromTable, port: 8001 })
    expect(serveOptions({ cors: '*' }, table, false)).toEqual({ ...fromTable, cors: '*' })
  })

  it('reads no tokens from the environment when `auth` is passed', () => {
    const auth = { tokens: { other: '*' } }
    expect(serveOptions({ auth }, { auth_tokens_env: 'TOKENS' }, false)).toEqual({ auth })
  })

  it('refuses to serve without the tokens that [server] requires', () => {
    expect(() => serveOptions({}, { auth_tokens_env: 'TOKENS' }, false)).toThrow(
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
    expect(serveOptions({}, table, false)).toEqual({ allowedHosts: ['agent.example.com'], limits })
    expect(serveOptions({ limits: { runs: 2, drainMs: 5 }, allowedHosts: [] }, table, false)).toEqual({
      allowedHosts: [],
      limits: { ...limits, runs: 2, drainMs: 5 },
    })
  })

  it('logs JSON in production, unless an option overrides it', () => {
    expect(serveOptions({}, {}, true)).toEqual({ log: 'json' })
    expect(serveOptions({ log: 'human' }, {}, true)).toEqual({ log: 'human' })
    expect(serveOptions({}, {}, false)).toEqual({})
  })
})
