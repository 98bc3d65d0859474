import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from '@agentkit/core'
import { createApp } from '@agentkit/server'
import { scriptedModel } from '@agentkit/testing'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jwtAuth } from './auth-jwt.ts'

const issuer = 'https://login.example.com'
const audience = 'agentkit'
const keys = await generateKeyPair('ES256')
const otherKeys = await generateKeyPair('ES256')

let server: Server
let jwksUrl = ''
let status = 200

beforeAll(async () => {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'first', alg: 'ES256' }
  server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a server that listens on a port
  jwksUrl = `http://127.0.0.1:${port}/jwks.json`
})
afterAll(() => void server.close())

async function sign(claims: JWTPayload = {}, { key = keys.privateKey, expires = '5m' } = {}): Promise<string> {
  return new SignJWT({ iss: issuer, aud: audience, sub: 'ada', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'first' })
    .setExpirationTime(expires)
    .sign(key)
}

async function ask(token: string, user_id = 'ada'): Promise<number> {
  const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['Hello.']) })
  const app = createApp(agent, { auth: jwtAuth({ issuer, audience, jwksUrl }), log: () => {} })
  const body = JSON.stringify({ user_id, session_id: 'first', messages: [{ role: 'user', content: 'Hi' }] })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await app.request('/api/v1/chat', { method: 'POST', body, headers })).status
}

describe('a server with JWTs', () => {
  it('answers their user, and no other', async () => {
    const token = await sign()
    expect(await ask(token)).toBe(200)
    expect(await ask(token, 'bob')).toBe(404)
  })

  it.each<[string, () => Promise<string>]>([
    ['that has expired', () => sign({}, { expires: '-1m' })],
    ['for another server', () => sign({ aud: 'other' })],
    ['of another issuer', () => sign({ iss: 'https://evil.example.com' })],
    ['that another key has signed', () => sign({}, { key: otherKeys.privateKey })],
    ['without a user', () => sign({ sub: '' })],
    ['for any user', () => sign({ sub: '*' })],
    ['whose claims were changed', async () => changed(await sign())],
    ['without a signature', async () => unsigned()],
    ['that is none', async () => 'a-token-of-ada'],
  ])('refuses a token %s', async (_name, token) => {
    expect(await ask(await token())).toBe(401)
  })

  it('accepts a token of a provider whose clock is some seconds ahead', async () => {
    const seconds = Math.floor(Date.now() / 1000)
    expect(await ask(await sign({ nbf: seconds + 10 }))).toBe(200)
    expect(await ask(await sign({ nbf: seconds + 60 }))).toBe(401)
  })

  it('does not take an error of the identity provider for an invalid token', async () => {
    status = 503
    expect(await ask(await sign())).toBe(500)
    status = 200
  })

  it('reads who may approve', async () => {
    const auth = jwtAuth({ issuer, audience, jwksUrl })
    if (typeof auth !== 'function') throw new Error('It is a function.')
    expect(await auth(await sign({ roles: ['approver'] }))).toEqual({ userId: 'ada', mayApprove: true })
    expect(await auth(await sign({ roles: 'approver' }))).toEqual({ userId: 'ada', mayApprove: false })
  })
})

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function changed(token: string): string {
  const [header, , signature] = token.split('.')
  return [header, encode({ iss: issuer, aud: audience, sub: 'eve', exp: 4_000_000_000 }), signature].join('.')
}

function unsigned(): string {
  const claims = { iss: issuer, aud: audience, sub: 'ada', exp: 4_000_000_000 }
  return `${encode({ alg: 'none' })}.${encode(claims)}.`
}
