import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { OAuthClientProvider, OAuthTokens, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import { type HttpServer, listen } from './sdk-servers.ts'

export type ProtectedServer = HttpServer & {
  /** The grants of all tokens that were requested. */
  grants: string[]
  /** Every secret that was issued. */
  secrets: string[]
  /** The query of the redirect of a user who agrees. */
  authorize(address: URL): string
  /** All access tokens expire. */
  expire(): void
  /** No token is issued any more. */
  revoke(): void
}

/** An authorization server, and before an MCP server one that wants its tokens. */
export async function protect(inner: HttpServer): Promise<ProtectedServer> {
  const codes = new Map<string, string>()
  const state = { access: new Set<string>(), refresh: new Set<string>(), isRevoked: false }
  const grants: string[] = []
  const secrets: string[] = []
  const secret = (kind: string): string => {
    const made = `${kind}-${randomUUID()}`
    secrets.push(made)
    return made
  }
  const isAllowed = (form: URLSearchParams, request: IncomingMessage): boolean => {
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url')
        return codes.get(form.get('code') ?? '') === challenge
      }
      case 'refresh_token':
        return state.refresh.delete(form.get('refresh_token') ?? '')
      default:
        return request.headers.authorization === `Basic ${btoa('robot:client-secret')}`
    }
  }
  const served = await listen(async (request, response): Promise<unknown> => {
    const origin = `http://${request.headers.host}`
    const send = (status: number, body: object, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    switch (new URL(request.url ?? '/', origin).pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return send(200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
      case '/.well-known/oauth-authorization-server':
        return send(200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
        })
      case '/token': {
        const form = new URLSearchParams(await text(request))
        grants.push(String(form.get('grant_type')))
        if (state.isRevoked || !isAllowed(form, request))
          return send(400, { error: 'invalid_grant', error_description: `refused ${form}` })
        const access = secret('access')
        const refresh = secret('refresh')
        state.access.add(access)
        state.refresh.add(refresh)
        return send(200, { access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh })
      }
      case '/mcp': {
        const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
        if (state.access.has(token)) break
        const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
        return send(401, { error: `no such token: ${token}` }, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` })
      }
      default:
        return send(404, {})
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { authorization: _, host: __, connection: ___, ...headers } = request.headers
    const { method = 'GET' } = request
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const answer = await fetch(inner.url, { method, headers: headers as Record<string, string>, ...body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    if (answer.body) for await (const chunk of answer.body) response.write(chunk)
    return response.end()
  })
  return {
    ...served,
    grants,
    secrets,
    authorize(address) {
      const code = secret('code')
      codes.set(code, address.searchParams.get('code_challenge') ?? '')
      return code
    },
    expire: () => state.access.clear(),
    revoke() {
      state.access.clear()
      state.isRevoked = true
    },
    async close() {
      await served.close()
      await inner.close()
    },
  }
}

/** The authProvider of an application whose user is sent to `visited`. */
export function appProvider(): OAuthClientProvider & { visited: URL[] } {
  const visited: URL[] = []
  let tokens: OAuthTokens | undefined
  let verifier = ''
  const client: StoredOAuthClientInformation = { client_id: 'app' }
  return {
    visited,
    redirectUrl: 'http://127.0.0.1:1/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'], client_name: 'app' },
    clientInformation: () => client,
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved
    },
    redirectToAuthorization(address) {
      visited.push(address)
    },
    saveCodeVerifier(saved) {
      verifier = saved
    },
    codeVerifier: () => verifier,
  }
}
