import { describe, expect, it } from 'vitest'
import type { Auth } from './guards/auth.ts'
import { checkOptions, type ServerOptions, serverUrl } from './options.ts'

const refused: [string, ServerOptions, string][] = [
  ['a public address without auth', { host: '0.0.0.0' }, 'allowUnauthenticated'],
  ['a public IPv6 address without auth', { host: '::' }, 'auth'],
  ['an address of the local network without auth', { host: '192.168.1.4' }, 'auth'],
  ['a name that only looks like loopback', { host: '127.0.0.1.evil.com' }, 'auth'],
  ['an empty host', { host: '' }, '`host`'],
  ['a port out of range', { port: 65_536 }, '`port`'],
  ['a port below 0', { port: -1 }, '`port`'],
  ['a port that is not a number', { port: Number.NaN }, '`port`'],
  ['no tokens at all', { auth: { tokens: {} } }, 'empty'],
  ['an empty token', { auth: { tokens: { '': 'ada' } } }, 'empty'],
  ['a token with a line end', { auth: { tokens: { 'abc\n': 'ada' } } }, 'Trim'],
  ['an empty token, as of a variable that is not set', { auth: { tokens: { '': '*' } } }, 'Set the variable'],
  ['a token without a user', { auth: { tokens: { 'a-token-of-ada-1': '' } } }, 'user id'],
  ['a token for a blank user', { auth: { tokens: { 'a-token-of-ada-1': ' ' } } }, 'user id'],
  ['a token for a number', { auth: { tokens: { 'a-token-of-ada-1': 5 as unknown as string } } }, 'user id'],
  [
    'a list of tokens',
    { auth: { tokens: ['a-long-secret-token'] as unknown as Record<string, string> } },
    'Map each token',
  ],
  [
    'a Map of tokens',
    { auth: { tokens: new Map([['a-token-of-ada-1', 'ada']]) as unknown as Record<string, string> } },
    'empty',
  ],
  ['a list as auth', { auth: ['a-long-secret-token'] as unknown as Auth }, 'tokens: { [token]: userId }'],
  ['null as auth', { auth: null as unknown as Auth }, 'tokens: { [token]: userId }'],
  ['a token of 15 characters', { auth: { tokens: { '123456789012345': 'ada' } } }, '15 characters; at least 16'],
  ['an unset variable as a token', { auth: { tokens: { [`${undefined}`]: 'ada' } } }, 'openssl rand'],
  ['40 every origin together with credentials', { cors: { origins: '*', credentials: true } }, 'Name the origins'],
  ['an origin with a path', { cors: ['https://app.example.com/'] }, 'without a path'],
  ['an origin without a scheme', { cors: 'app.example.com' }, 'https://'],
  ['half a run at once', { limits: { runs: 0.5 } }, 'whole number from 1'],
  ['no run at all', { limits: { runs: 0 } }, 'whole number from 1'],
  ['a line of less than nothing', { limits: { queuedRuns: -1 } }, 'whole number from 0'],
  ['connections without end', { limits: { connections: Number.POSITIVE_INFINITY } }, 'connections'],
  ['a time that no timer takes', { limits: { deadlineMs: 2 ** 31 } }, 'deadlineMs'],
  ['less memory for all bodies than for one', { limits: { heldBytes: 1_000 } }, 'bodyBytes'],
  ['an allowed host with a port', { allowedHosts: ['example.com:8000'] }, 'without a port'],
  ['a pattern of allowed hosts', { allowedHosts: ['*.example.com'] }, 'patterns are not taken'],
  ['any allowed host', { allowedHosts: ['*'] }, 'patterns are not taken'],
  ['an allowed domain by its dot', { allowedHosts: ['.example.com'] }, 'patterns are not taken'],
  ['two allowed hosts in one', { allowedHosts: ['a.example,b.example'] }, 'allowedHosts'],
  ['an allowed host with a line break', { allowedHosts: ['a.example\n'] }, 'allowedHosts'],
  ['a user of two lines', { auth: { tokens: { 'a-token-of-ada-1': 'ada\nbob' } } }, 'control character'],
  ['a user of 129 characters', { auth: { tokens: { 'a-token-of-ada-1': 'a'.repeat(129) } } }, '1 to 128 characters'],
  ['half a surrogate pair as a user', { auth: { tokens: { 'a-token-of-ada-1': '\ud800' } } }, 'needs the user id'],
  ['an allowed host with a scheme', { allowedHosts: ['https://example.com'] }, 'without a port'],
  ['an allowed host that is empty', { allowedHosts: [''] }, 'allowedHosts'],
  ['an allowed host that is not a string', { allowedHosts: [5 as never] }, 'allowedHosts'],
  ['allowed hosts that are not a list', { allowedHosts: 'example.com' as never }, 'is a list'],
  ['a limit that is not a number', { limits: { parts: -1 } }, 'parts'],
  ['a user without a run at once', { limits: { userRuns: 0 } }, 'whole number from 1'],
  ['half a token a day', { limits: { userDailyTokens: 0.5 } }, 'whole number from 1'],
  ['no dollar a day', { limits: { userDailyUsd: 0 } }, 'above 0, or leave it out'],
  ['endless dollars a day', { limits: { userDailyUsd: Number.POSITIVE_INFINITY } }, 'above 0'],
  ['a proxy that is anyone', { trustedProxies: ['*'] }, 'Name the addresses'],
  ['a range of all IPv4 proxies', { trustedProxies: ['0.0.0.0/0'] }, 'every address'],
  ['a range of all IPv6 proxies', { trustedProxies: ['::/0'] }, 'every address'],
  ['the name of a proxy', { trustedProxies: ['proxy.example.com'] }, 'not an address or a CIDR'],
  ['a prefix that is too long', { trustedProxies: ['10.0.0.0/33'] }, 'not an address or a CIDR'],
  ['a prefix that is not a number', { trustedProxies: ['10.0.0.0/x'] }, 'not an address or a CIDR'],
  ['an address with a zone', { trustedProxies: ['fe80::1%eth0'] }, 'not an address or a CIDR'],
  ['a base path without a slash', { basePath: 'agent' }, 'Write it like "/agent"'],
  ['a base path with dots', { basePath: '/a/../b' }, 'Write it like "/agent"'],
  ['a base path with an empty segment', { basePath: '/a//b' }, 'Write it like "/agent"'],
  ['an encoded base path', { basePath: '/%61' }, 'Write it like "/agent"'],
  ['a base path with a query', { basePath: '/a?b' }, 'Write it like "/agent"'],
  ['negative days', { retention: { retentionDays: -1 } }, 'retention.retentionDays'],
  ['half a session', { retention: { maxSessionsPerUser: 0.5 } }, 'retention.maxSessionsPerUser'],
  ['less than no session', { retention: { maxSessionsPerUser: -1 } }, 'retention.maxSessionsPerUser'],
  ['a disk that is not a number', { retention: { maxDiskMb: Number.NaN } }, 'retention.maxDiskMb'],
  ...wrong([
    ['approvals of another kind', { approvals: 'anyone' }, '`approvals` is "owner" or "service"'],
    ['proxies that are not a list', { trustedProxies: '10.0.0.1' }, 'is a list of addresses'],
    ['a proxy that is no string', { trustedProxies: [5] }, 'not an address or a CIDR'],
    ['a base path that is no string', { basePath: 5 }, 'Write it like "/agent"'],
    ['a base path that is a list', { basePath: [] }, 'Write it like "/agent"'],
    ['a base path that is not JSON', { basePath: 1n }, 'Write it like "/agent"'],
    ['an unknown dialect', { dialects: ['openai', 'soap'] }, 'There is no dialect "soap"'],
    ['dialects that are not a list', { dialects: 'openai' }, '`dialects` is a list'],
    ['a misspelt option of `retention`', { retention: { days: 1 } }, 'Unknown option `retention.days`'],
    ...['perUserFiles', 'playground', 'docs', 'metrics', 'worker'].map((name): [string, unknown, string] => [
      `a ${name} that is a string`,
      { [name]: 'false' },
      `\`${name}\` is true or false`,
    ]),
    ['options that are none', 5, 'Known: host, port,'],
    ['no options', null, 'Known: host, port,'],
    [
      'a misspelt option',
      { hots: '::1' },
      'Unknown option `hots`. Did you mean `host`? Known: host, port, auth, allowUnauthenticated,',
    ],
    [
      'an allowUnauthenticated that is a string',
      { host: '::', allowUnauthenticated: 'false' },
      '`allowUnauthenticated` is true or false',
    ],
    ['limits that are none', { limits: 5 }, '`limits` is an object'],
    ['limits that are null', { limits: null }, '`limits` is an object'],
    ['limits in a list', { limits: [{ runs: 1 }] }, '`limits` is an object'],
    ['a host that is no string', { host: 5 }, '`host` is an address'],
    ['tokens that are null', { auth: { tokens: null } }, 'tokens: { [token]: userId }'],
    ['a log of another kind', { log: 'jason' }, '`log` is "human", "json", a logger'],
    [
      'more than tokens',
      { auth: { tokens: { 'a-token-of-ada-1': '*' }, users: 'all' } },
      '`auth` has one key, `tokens`',
    ],
    ['origins of another kind', { cors: 5 }, '`cors` is an origin, a list of origins'],
    ['a misspelt option of `cors`', { cors: { origins: [], credential: true } }, 'Unknown option `cors.credential`'],
  ]),
]

/** Options that the compiler refuses. */
function wrong(cases: [string, unknown, string][]): [string, ServerOptions, string][] {
  return cases as [string, ServerOptions, string][]
}

describe('options', () => {
  it.each(refused)('refuses %s', (_name, options, fix) => {
    expect(() => checkOptions(options)).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(fix) }),
    )
  })

  it('refuses an unknown limit', () => {
    const limits = { bodySize: 1 } as object
    expect(() => checkOptions({ limits })).toThrow('bodyBytes')
  })

  it('never repeats keys beside `tokens`, which may be tokens', () => {
    const auth = { tokens: { 'a-token-of-ada-1': '*' }, 'long-secret': 'ada' } as Auth
    expect(() => checkOptions({ auth })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('long-secret') }),
    )
  })

  it.each(['very secret', 'very-secret'])('never repeats a token such as %s', (token) => {
    expect(() => checkOptions({ auth: { tokens: { [token]: 'ada' } } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(token) }),
    )
  })

  it('has defaults', () => {
    const { limits, rules, worker, retention, trustedProxies } = checkOptions()
    expect(limits).toMatchObject({ userRuns: 4, userQueuedRuns: 32, backgroundMs: 3_600_000, queued: 100_000 })
    expect([limits.userDailyUsd, limits.userDailyTokens, limits.userQueued]).toEqual([undefined, undefined, 10_000])
    expect(rules).toEqual({
      hasAuth: false,
      approvals: 'owner',
      basePath: '',
      perUserFiles: false,
      dialects: new Set(['openai', 'ui']),
      playground: true,
      docs: true,
      metrics: false,
    })
    expect([worker, trustedProxies]).toEqual([true, undefined])
    expect(retention).toEqual({ retentionDays: 0, maxSessionsPerUser: 0, maxDiskMb: 0 })
  })

  it.each([
    ['', ''],
    ['/', ''],
    ['/agent', '/agent'],
    ['/agent/', '/agent'],
    ['/a/b', '/a/b'],
    ['/bücher', '/bücher'],
  ])('accepts the base path "%s"', (basePath, checked) => {
    expect(checkOptions({ basePath }).rules.basePath).toBe(checked)
  })

  it('accepts a daily budget of cents', () => {
    expect(checkOptions({ limits: { userDailyUsd: 0.05 } }).limits.userDailyUsd).toBe(0.05)
  })

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])('accepts %s without auth', (host) => {
    expect(checkOptions({ host })).toMatchObject({ host, auth: undefined })
  })

  it('accepts a public address with auth or allowUnauthenticated', () => {
    expect(checkOptions({ host: '0.0.0.0', auth: { tokens: { 'a-token-of-all-1': '*' } } }).host).toBe('0.0.0.0')
    expect(checkOptions({ host: '::', allowUnauthenticated: true }).host).toBe('::')
  })

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8000'],
    ['0.0.0.0', 'http://127.0.0.1:8000'],
    ['::', 'http://[::1]:8000'],
    ['localhost', 'http://localhost:8000'],
  ])('has the URL of a server that binds %s', (host, url) => {
    expect(serverUrl(host, 8000)).toBe(url)
  })
})
