import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AgentKitError, type Message, type Model, type ModelRequest } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anthropic } from './packages/providers-anthropic/src/index.ts'
import { azure } from './packages/providers-azure/src/index.ts'
import { gemini } from './packages/providers-gemini/src/index.ts'
import { groq } from './packages/providers-groq/src/index.ts'
import { mistral } from './packages/providers-mistral/src/index.ts'
import { ollama } from './packages/providers-ollama/src/index.ts'
import { openai } from './packages/providers-openai/src/index.ts'

// At the root, as it uses several providers, which do not know each other.

type Seen = { method: string | undefined; url: string | undefined; headers: Record<string, unknown>; body: string }
type Answer = { status: number; headers?: Record<string, string>; body: string }

let server: Server
let url: string
let seen: Seen[]
let answer: Answer
beforeEach(async () => {
  seen = []
  answer = { status: 200, body: '' }
  server = createServer(async (request, response) => {
    seen.push(await seenOf(request))
    response.writeHead(answer.status, { 'content-type': 'text/event-stream', ...answer.headers }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubEnv('OPENAI_ORG_ID', 'org-1')
  vi.stubEnv('OPENAI_PROJECT_ID', 'project-1')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { method, url, headers } = request
  return { method, url, headers, body: Buffer.concat(pieces).toString() }
}

const headers = { 'X-Team': 'wëst', 'anthropic-beta': 'context-1m-2025-08-07', 'openai-beta': 'none' }
const makers: Record<string, () => Model> = {
  'openai, Chat Completions': () =>
    openai({ apiKey: 'k', baseURL: `${url}/v1?tenant=1`, api: 'chat', headers }).model('gpt-4.1'),
  'openai, Responses': () => openai({ apiKey: 'k', baseURL: `${url}/v1`, api: 'responses' }).model('gpt-5.4-mini'),
  'a server without a key': () => openai({ name: 'own', baseURL: `${url}/v1`, headers }).model('qwen3'),
  azure: () => azure({ apiKey: 'k', endpoint: url, headers }).model('my deployment'),
  'azure, v1': () => azure({ apiKey: 'k', endpoint: url, v1: true, api: 'responses' }).model('gpt-4.1'),
  anthropic: () => anthropic({ apiKey: 'k', baseURL: url, headers }).model('claude-sonnet-4-5'),
  groq: () => groq({ apiKey: 'k', baseURL: url, headers }).model('openai/gpt-oss-120b'),
}
const names = Object.keys(makers)
const make = (name: string): Model => (makers[name] as () => Model)()

/** A model whose first request the SDK builds: it alone knows what it prints. */
function makeBySdk(name: string): Model {
  const variables = ['OPENAI_LOG', 'GROQ_LOG', 'ANTHROPIC_LOG']
  for (const variable of variables) vi.stubEnv(variable, 'warn')
  const model = make(name)
  for (const variable of variables) vi.stubEnv(variable, undefined)
  return model
}

/** The failure of a call: the server answers with nothing that a model says. */
async function failureOf(model: Model, request: ModelRequest = requestOf(0)): Promise<AgentKitError> {
  try {
    for await (const _event of model.stream(request, new AbortController().signal));
  } catch (error) {
    if (error instanceof AgentKitError) return error
    throw error
  }
  throw new Error('It did not fail.')
}

describe('the requests of one model', () => {
  it.each(names)('equal the requests of the SDK: %s', async (name) => {
    const seed = Number(process.env.AGENTKIT_SEED ?? Math.trunc(Math.random() * 2 ** 31))
    const kept = make(name)
    for (let index = 0; index < 100; index++) {
      const request = requestOf(seed + index)
      await failureOf(kept, request)
      await failureOf(makeBySdk(name), request)
      const [ours, its] = seen.splice(0)
      expect(ours, `AGENTKIT_SEED=${seed}, request ${index}`).toEqual(its)
      expect(its?.headers['content-length']).toBe(String(Buffer.byteLength(its?.body ?? '')))
    }
  })

  it.each(names)('fail as those of the SDK, with errors of its classes: %s', async (name) => {
    const kept = make(name)
    await failureOf(kept)
    seen = []
    const refusals: Answer[] = [
      { status: 401, body: '{"error":{"message":"no","type":"authentication_error"}}' },
      { status: 429, headers: { 'retry-after': '7', 'x-request-id': 'r1' }, body: '{"error":{"message":"slow"}}' },
      { status: 529, headers: { 'request-id': 'r2' }, body: 'busy' },
      { status: 503, body: '<html>' },
      { status: 307, headers: { location: '/elsewhere' }, body: '' },
    ]
    for (answer of refusals) {
      const [ours, its] = [await failureOf(kept), await failureOf(makeBySdk(name))]
      expect(factsOf(ours)).toEqual(factsOf(its))
      expect(ours.cause?.constructor).toBe(its.cause?.constructor)
      const sent = seen.splice(0)
      expect(sent.slice(0, sent.length / 2)).toEqual(sent.slice(sent.length / 2))
    }
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    // A kept connection is written to at once, unless its client has read that it is closed.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve))
    const [ours, its] = [await failureOf(kept), await failureOf(makeBySdk(name))]
    expect([ours.code, ours.message]).toEqual([its.code, its.message])
    expect(ours.cause?.constructor).toBe(its.cause?.constructor)
  })

  it.each(names)('leave by a global fetch that is replaced between two calls: %s', async (name) => {
    const kept = make(name)
    await failureOf(kept)
    const addresses: string[] = []
    vi.stubGlobal('fetch', async (input: string | URL) => {
      addresses.push(String(input))
      return new Response('', { status: 200 })
    })
    await failureOf(kept)
    expect(addresses).toHaveLength(1)
    expect(seen).toHaveLength(1)
  })
})

it('have the token of the moment where a function gives it', async () => {
  let tokens = 0
  const azureADTokenProvider = async (): Promise<string> => `token-${++tokens}`
  const model = azure({ azureADTokenProvider, endpoint: url }).model('gpt-4.1')
  for (let call = 0; call < 3; call++) await failureOf(model)
  expect(seen.map((request) => request.headers.authorization)).toEqual([
    'Bearer token-1',
    'Bearer token-2',
    'Bearer token-3',
  ])
})

it('have the headers of OPENAI_CUSTOM_HEADERS', async () => {
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'X-Own: 1')
  const model = openai({ apiKey: 'k', baseURL: `${url}/v1` }).model('gpt-4.1')
  for (let call = 0; call < 2; call++) await failureOf(model)
  expect(seen.map((request) => request.headers['x-own'])).toEqual(['1', '1'])
})

it('are printed by the SDK where OPENAI_LOG says so', async () => {
  vi.stubEnv('OPENAI_LOG', 'debug')
  const printed = vi.spyOn(console, 'debug').mockImplementation(() => {})
  const model = openai({ apiKey: 'k', baseURL: `${url}/v1` }).model('gpt-4.1')
  for (let call = 0; call < 3; call++) await failureOf(model)
  expect(printed.mock.calls.filter(([line]) => String(line).includes('sending request'))).toHaveLength(3)
  printed.mockRestore()
})

function factsOf({ code, message, retryable, retryAfterMs, status, requestId }: AgentKitError): unknown[] {
  return [code, message, retryable, retryAfterMs, status, requestId]
}

/** A random request, the same for a seed. */
function requestOf(seed: number): ModelRequest {
  let state = (seed * 2_654_435_761) % 2 ** 31
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.trunc((state / 2 ** 31) * below)
  }
  const text = (): string => Array.from({ length: 1 + random(30) }, () => 'aé€😀 "\\\n{}'.charAt(random(12))).join('')
  const turns = Array.from({ length: random(4) }, (): Message[] => [
    { role: 'user', content: `${text()}?` },
    { v: 1, role: 'assistant', content: [{ type: 'text', text: `${text()}.` }] },
  ])
  const tool = { name: 'look', description: text(), inputSchema: { type: 'object', properties: {} } }
  return {
    messages: [...turns.flat(), { role: 'user', content: `${text()}!` }],
    ...(random(2) === 0 && { tools: [tool] }),
    ...(random(2) === 0 && { maxOutputTokens: 100 + random(1000) }),
  }
}

it.each([
  ['new OpenAI', openai],
  ['new AzureOpenAI', azure],
  ['new Anthropic', anthropic],
  ['new Groq', groq],
  ['new Mistral', mistral],
  ['new GoogleGenAI', gemini],
  ['new Ollama', ollama],
])('refuses a client that is of another SDK, and says which it takes: %s', (made, factory) => {
  // As JavaScript passes it: an earlier SDK of Google or Mistral has these, for example.
  const client = { apiKey: 'k', getGenerativeModel() {} } as never
  const message = expect.stringContaining(`\`client\` is a client of the SDK: ${made}({`)
  expect(() => factory({ client })).toThrow(expect.objectContaining({ code: 'invalid-config', message }))
})
