import { mkdtempSync, rmSync } from 'node:fs'
import { Agent as HTTPAgent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderKnowledge } from './__fixtures__/folder-knowledge.ts'
import {
  type JSONSchema,
  type KnownTexts,
  type Operation,
  type RandomRequest,
  randomRequest,
} from './__fixtures__/random-requests.ts'
import { expectHealthy, type Problem } from './__fixtures__/requests.ts'
import { problemTable } from './answer/problem-table.ts'
import { createApp } from './create-app.ts'
import { type AgentServer, serve } from './index.ts'
import type { LogEntry } from './util/log.ts'

// Requests of every kind to every route of `/openapi.json`: no answer is an internal failure or shows what is inside.
// `FUZZ_SEED=7 FUZZ_RUNS=1000` tries others. A failure prints its seed and the smallest request that fails.
const seed = Number(process.env.FUZZ_SEED ?? 1)
const runsPerRoute = Number(process.env.FUZZ_RUNS ?? 40)

const folder = mkdtempSync(join(tmpdir(), 'agentkit-requests-'))
const secret = 'sk-1234567890abcdef'
const knowledge = folderKnowledge(folder)
const logged: LogEntry[] = []
const statuses = new Set<number>()
const connections = new HTTPAgent({ keepAlive: true })

let server: AgentServer
let close: () => Promise<void>
beforeAll(async () => {
  // On disk, as background runs are stored there alone.
  const sessions = sqliteSessions(join(folder, 'sessions.db'))
  const agent = new Agent({
    name: 'Notes',
    functions: [],
    instruction: `The password is ${secret}.`,
    model: scriptedModel(Array.from({ length: 100_000 }, () => 'Hello.')),
    sessions,
    knowledge,
  })
  server = await serve(agent, {
    port: 0,
    metrics: true,
    log: (entry) => entry.level === 'error' && logged.push(entry),
    limits: { jsonDepth: 32, requestsPerConnection: 1e9 },
  })
  close = async () => {
    await server.close()
    await sessions.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
afterAll(() => close())

const document = (await (
  await createApp(new Agent({ name: 'Notes', functions: [], model: scriptedModel([]) }), { metrics: true }).request(
    '/openapi.json',
  )
).json()) as Document
const operations = operationsOf(document)

describe.each(operations)('$method $path', (operation) => {
  it('answers any request with a problem or a success', async () => {
    const known = await knownTexts()
    await fc.assert(
      fc.asyncProperty(randomRequest(operation, known), async (request) => check(request, await send(request))),
      { seed, numRuns: runsPerRoute, endOnFailure: false },
    )
    await expectHealthy(server.url)
    expect(logged).toEqual([])
  })
})

it('has sent valid requests and all kinds of invalid ones', () => {
  for (const status of [200, 202, 204, 400, 404, 405, 406, 415, 422]) expect([...statuses]).toContain(status)
})

/** @throws what is wrong with an answer */
function check({ method, target }: RandomRequest, { status, headers, body }: Answer): void {
  statuses.add(status)
  expect(status).toBeLessThan(500)
  expect(body).not.toContain(secret)
  if (status < 400 || method === 'HEAD') return
  expect(body).not.toMatch(/\\n\s+at |node:|node_modules|\.ts\b|SQLITE|ENOENT|TypeError|undefined/)
  const type = headers['content-type']
  // The errors of a protocol have its form.
  const sentence = /^[A-Z].*\.$/s
  if (target.startsWith('/ui/') && type === 'text/plain; charset=utf-8') {
    expect(body).toMatch(sentence)
    return
  }
  if (target.startsWith('/v1/') && type === 'application/json') {
    const { error } = JSON.parse(body)
    expect(error.message).toMatch(sentence)
    expect(error).toMatchObject({ type: expect.any(String), code: expect.any(String) })
    return
  }
  expect(type).toBe('application/problem+json')
  const problem = JSON.parse(body) as Problem
  expect(Object.keys(problemTable)).toContain(problem.code)
  expect(problem).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) })
  // A replayed answer is that of another request.
  if (headers['idempotency-replayed'] === undefined) expect(problem.request_id).toBe(headers['x-request-id'])
}

type Answer = { status: number; headers: Record<string, unknown>; body: string }

/** A stream that stays open is left after its first bytes. */
function send({ method, target, headers, body }: RandomRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    // Node's client sends the body of a DELETE without its length, which the server takes for another request.
    const length = body && { 'content-length': String(body.length) }
    const options = { hostname, port, method, path: target, headers: { ...headers, ...length }, agent: connections }
    const request = httpRequest(options, (response) => {
      const answer: Answer = { status: response.statusCode ?? 0, headers: response.headers, body: '' }
      const isStream = response.headers['content-type'] === 'text/event-stream'
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        answer.body += chunk
        if (!isStream) return
        resolve(answer)
        request.destroy()
      })
      response.on('end', () => resolve(answer)).on('error', () => resolve(answer))
    })
    request.on('error', reject).end(body)
  })
}

/** The texts that exist now: an earlier request may have deleted some. */
async function knownTexts(): Promise<KnownTexts> {
  const message = { role: 'user', content: 'Hi' }
  const chat = { user_id: 'ada', session_id: 'first', messages: [message], resumable: true }
  const headers = { 'content-type': 'application/json' }
  await fetch(`${server.url}/api/v1/chat`, { method: 'POST', body: JSON.stringify(chat), headers })
  const form = new FormData()
  form.set('files', new File(['Bees'], 'a.txt'))
  await fetch(`${server.url}/api/v1/uploadfiles?user_id=ada`, { method: 'POST', body: form })
  const { runs } = (await (await fetch(`${server.url}/api/v1/runs?user_id=ada&limit=3`)).json()) as {
    runs: { run_id: string }[]
  }
  const ids = runs.map(({ run_id }) => run_id)
  return {
    model: ['notes'],
    ...{ user_id: ['ada'], session_id: ['first', 'other'], id: ids, after: ids, replaces: ids },
    ...{
      name: ['a.txt'],
      old: ['a.txt', 'b.txt'],
      new: ['b.txt', 'c.md'],
      files: ['a.txt', 'd.md'],
      file_path: ['a.txt'],
    },
    ...{ index_name: ['notes'], chunk_id: [...knowledge.ids.values()], file: ['start.js', 'swagger-ui.css'] },
    chat_data: [JSON.stringify({ messages: [message] })],
  }
}

type Document = {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: Operation['parameters']; requestBody?: { content: Record<string, { schema: JSONSchema }> } }
    >
  >
}

function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema])
      return { method: method.toUpperCase(), path, parameters, bodies: Object.fromEntries(bodies) }
    }),
  )
}
