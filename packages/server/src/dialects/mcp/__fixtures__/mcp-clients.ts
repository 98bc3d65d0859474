import { Client as Client2, type ElicitResult, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Hono } from 'hono'
import { afterEach } from 'vitest'

export type Elicited = { message: string; requestedSchema?: unknown }
export type ClientOptions = {
  headers?: Record<string, string>
  /** Declares that its user can be asked. */
  onElicit?: (request: Elicited) => ElicitResult
}
export type Answer = {
  content: { type: string; text: string }[]
  structuredContent: Answered
  isError?: boolean
}
export type Answered = {
  answer: string
  session_id: string
  run_id: string
  finish_reason: string
  sources: unknown[]
  approvals?: { approval_id: string; name: string }[]
}

const info = { name: 'test', version: '1' }
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

export function fetchOf(app: Hono, headers: Record<string, string> = {}): typeof fetch {
  return (async (url: string | URL, init: RequestInit = {}) => {
    const sent = new Headers(init.headers)
    for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    return app.request(String(url), { ...init, headers: sent })
  }) as typeof fetch
}

/** The client of the SDK 2, in the revision that it negotiates. */
export async function client2(app: Hono, { headers, onElicit }: ClientOptions = {}): Promise<Client2> {
  const client = new Client2(info, {
    capabilities: onElicit ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: 'auto' },
  })
  if (onElicit) client.setRequestHandler('elicitation/create', ({ params }) => onElicit(params as Elicited))
  await client.connect(new Transport2(new URL('http://localhost/mcp'), { fetch: fetchOf(app, headers) }))
  closers.push(() => client.close())
  return client
}

/** The client of the SDK 1, which uses the revisions of 2025. */
export async function client1(app: Hono, { headers, onElicit }: ClientOptions = {}): Promise<Client1> {
  const client = new Client1(info, { capabilities: onElicit ? { elicitation: { form: {} } } : {} })
  if (onElicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params as Elicited) as never)
  const transport = new Transport1(new URL('http://localhost/mcp'), { fetch: fetchOf(app, headers) })
  await client.connect(transport as never) // its optional properties are declared in another way
  closers.push(() => client.close())
  return client
}

export const clients = [
  ['2', client2],
  ['1', client1],
] as const

/** A call of the tool. */
export async function ask(
  client: Client1 | Client2,
  args: Record<string, unknown> | string,
  options: { signal?: AbortSignal; onprogress?: (progress: { progress: number; message?: string }) => void } = {},
): Promise<Answer> {
  const params = { name: 'ask_agent', arguments: typeof args === 'string' ? { message: args } : args }
  // The clients declare the same options in different ways; the answer is what `ask_agent` promises.
  const result = client instanceof Client1 ? client.callTool(params, undefined, options as never) : client.callTool(params, options as never)
  return (await result) as unknown as Answer
}

let ids = 0
/** A message of the revisions of 2025. */
export function post(method: string, params: object = {}, headers: Record<string, string> = {}): RequestInit {
  return posted({ jsonrpc: '2.0', id: ++ids, method, params }, headers)
}

export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers: { ...own, ...headers } }
}

/** A message of the revision 2026-07-28, with its headers. */
export function modern(method: string, params: Record<string, unknown> = {}, capabilities: object = {}): RequestInit {
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const name = params.name ?? params.uri
  const headers = { 'mcp-protocol-version': version, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': String(name) }) }
  return post(method, { ...params, _meta }, headers)
}

/** The message in an answer of either form. */
export async function messageIn(response: Response): Promise<{ result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown }; id: unknown }> {
  const text = await response.text()
  const data = /^data: (.*)$/gm
  return JSON.parse(response.headers.get('content-type')?.startsWith('text/event-stream') ? ([...text.matchAll(data)].at(-1)?.[1] ?? '') : text)
}
