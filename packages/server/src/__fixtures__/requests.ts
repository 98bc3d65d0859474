import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Hono } from 'hono'
import { expect } from 'vitest'

export const boundary = 'frontier'
export const multipart = `multipart/form-data; boundary=${boundary}`

export type Fields = Record<string, string>

export function chatData(...messages: unknown[]): string {
  return JSON.stringify({ messages })
}

export const validFields: Fields = {
  user_id: 'ada',
  session_id: 'first',
  chat_data: chatData({ role: 'user', content: 'Hi' }),
}

export function formBody(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')
    .concat(`--${boundary}--\r\n`)
}

export function chatRequest(fields: Fields = validFields, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', body: formBody(fields), headers: { 'content-type': multipart, ...headers } }
}

export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
  errors?: { path: (string | number)[]; message: string }[]
}

/** Checks that a response is a problem (RFC 9457) with this status and code. */
export async function expectProblem(response: Response, status: number, code: string): Promise<Problem> {
  const body = (await response.json()) as Problem
  expect({ status: response.status, code: body.code, detail: body.detail }).toMatchObject({ status, code })
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ status, type: expect.any(String), title: expect.any(String) })
  expect(body.request_id).toBe(response.headers.get('x-request-id'))
  return body
}

export async function expectHealthy(app: Hono | string): Promise<void> {
  const response = typeof app === 'string' ? await fetch(`${app}/health`) : await app.request('/health')
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ status: 'healthy' })
}

/** A chat request as text, for a socket. */
export function rawChat(url: string, { path = '/api/v1/chat', accept = '*/*', fields = validFields } = {}): string {
  const body = formBody(fields)
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Content-Type: ${multipart}`,
    `Accept: ${accept}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

/** A socket that collects the answer. */
export async function openSocket(url: string): Promise<{ socket: Socket; answer(): string; closed: Promise<string> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  await new Promise((resolve) => socket.on('connect', resolve))
  return { socket, answer: () => received, closed }
}

/** A GET with headers that `fetch` does not allow. */
export function getWithHeaders(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers, agent: new HttpAgent() }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject).end()
  })
}

/**
 * Waits until a condition holds. The timeout is long enough for a busy machine.
 * @returns the turns of the event loop that it took, of at least 5 ms each: a measure that a busy machine changes less
 */
export async function until(holds: () => boolean): Promise<number> {
  const giveUpAt = performance.now() + 60_000
  for (let turns = 0; ; turns++) {
    if (holds()) return turns
    if (performance.now() > giveUpAt) throw new Error('The condition did not hold within a minute.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Turns of {@link until} that take 100 ms on an idle machine. */
export const promptTurns = 20
