import { inspect } from 'node:util'
import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { auth, ClientCredentialsProvider } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appProvider, type ProtectedServer, protect } from './__fixtures__/oauth-server.ts'
import { newServer, oldServer } from './__fixtures__/sdk-servers.ts'
import { call } from './__fixtures__/servers.ts'
import { mcp } from './mcp.ts'
import type { McpOptions, McpTools } from './options.ts'

describe.each([
  ['1.x', oldServer],
  ['2.x', newServer],
])('a server of the SDK %s that wants OAuth', (_, start) => {
  let server: ProtectedServer
  let printed: string
  beforeEach(async () => {
    server = await protect(await start())
    printed = ''
    for (const method of ['log', 'warn', 'error', 'info', 'debug'] as const)
      vi.spyOn(console, method).mockImplementation((...words) => {
        printed += words.join(' ')
      })
  })
  afterEach(async () => {
    await server.close()
    vi.restoreAllMocks()
    for (const secret of [...server.secrets, 'client-secret']) expect(printed).not.toContain(secret)
  })

  const connect = (authProvider: McpOptions['authProvider']): Promise<McpTools> =>
    mcp({ url: server.url, name: 'vault', pins: false, ...(authProvider && { authProvider }) })

  function expectNoSecret(thrown: unknown): void {
    // As a logger shows it, with its causes.
    const shown = inspect(thrown, { depth: 20, showHidden: true })
    for (const secret of [...server.secrets, 'client-secret', 'access-unknown']) expect(shown).not.toContain(secret)
  }

  const robot = (clientSecret = 'client-secret') => new ClientCredentialsProvider({ clientId: 'robot', clientSecret })

  it('is used with the credentials of a program, and once more when its token has expired', async () => {
    const tools = await connect(robot())
    expect(await call(tools, 'echo', { text: 'hello' })).toContain('hello')
    expect(server.grants).toEqual(['client_credentials'])
    server.expire()
    expect(await call(tools, 'echo', { text: 'again' })).toContain('again')
    expect(new Set(server.grants)).not.toContain('authorization_code')
    await tools.close()
  })

  it('sends the user to the authorization, and is used with the tokens that are then saved and refreshed', async () => {
    const authProvider = appProvider()
    const refused = await connect(authProvider).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('The MCP server "vault" wants its user to authorize'),
    })
    expectNoSecret(refused)
    const address = authProvider.visited.at(-1) as URL
    expect(address.pathname).toBe('/authorize')
    expect(await auth(authProvider, { serverUrl: server.url, authorizationCode: server.authorize(address) })).toBe(
      'AUTHORIZED',
    )
    const tools = await connect(authProvider)
    expect(await call(tools, 'echo', { text: 'hello' })).toContain('hello')
    server.expire()
    expect(await call(tools, 'echo', { text: 'again' })).toContain('again')
    expect(server.grants).toEqual(['authorization_code', 'refresh_token'])
    await tools.close()
  })

  it.each([
    ['wrong credentials of a program', () => robot('wrong')],
    ['a token that it does not know', () => ({ token: async () => 'access-unknown' })],
    ['no authProvider', () => undefined],
  ])('with %s is auth, which says what to do', async (_what, provider) => {
    const refused = await connect(provider()).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'auth', retryable: false })
    expect(String(refused)).toMatch(/`authProvider`/)
    expectNoSecret(refused)
  })

  it('whose tokens are revoked during a run gives the model an error without a token', async () => {
    const tools = await connect(robot())
    server.revoke()
    const model = scriptedModel([{ toolCalls: [{ name: 'echo', input: { text: 'hello' } }] }, 'It refuses.'])
    const agent = new Agent({ name: 'Clerk', functions: [tools], model })
    const result = await agent.stream('Echo.').result
    expect(result).toMatchObject({ finishReason: 'stop' })
    const message = result.messages.find(({ role }) => role === 'tool')
    expect(message).toMatchObject({ isError: true, content: expect.stringContaining('"vault"') })
    for (const secret of [...server.secrets, 'client-secret']) expect(JSON.stringify(result)).not.toContain(secret)
    const refused = await call(tools, 'echo', { text: 'hello' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'auth' })
    expectNoSecret(refused)
    await agent.close()
  })
})
