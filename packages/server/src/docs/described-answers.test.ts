import type { JSONSchema } from '@agentkit/core'
import { jsonSchemaValidator } from '@agentkit/core/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

type Content = Record<string, { schema: JSONSchema }>
type Answer = { content?: Content; headers?: Record<string, object>; $ref?: string }
type Parameter = { name: string; in: string }
type Document = {
  paths: Record<string, Record<string, { parameters?: Parameter[]; responses: Record<string, Answer> }>>
  components: { responses: Record<string, Answer>; schemas: Record<string, JSONSchema> }
}

const stored = storedAgents()
const json = { accept: 'application/json' }
const post = (body: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...json },
})
const mcpHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const question = { role: 'user', content: 'Hi' }

describe('the answers of routes match /openapi.json', () => {
  const makeApp = () =>
    createApp(stored(['Hello.', 'Hello.']).agent, { dialects: ['openai', 'ui', 'agui', 'mcp', 'a2a'], log: () => {} })
  let document: Document
  beforeAll(async () => {
    document = (await (await makeApp().request('/openapi.json')).json()) as Document
  })

  it.each([
    ['/api/v1/chat', '/api/v1/chat', ask('Hi', {}, json), 200],
    ['/api/v1/chat', '/api/v1/chat', ask('Hi', { session_id: '' }, json), 422],
    ['/api/v1/runs', '/api/v1/runs?user_id=ada', {}, 200],
    ['/api/v1/sessions', '/api/v1/sessions?user_id=ada', {}, 200],
    ['/api/v1/chat_history', '/api/v1/chat_history?user_id=ada&session_id=first', {}, 200],
    ['/api/v1/all_chats', '/api/v1/all_chats?user_id=ada', {}, 200],
    ['/api/v1/usage', '/api/v1/usage?user_id=ada', {}, 200],
    ['/api/v1/usage', '/api/v1/usage?user_id=ada&by=model', {}, 200],
    ['/api/v1/usage', '/api/v1/usage?user_id=ada&by=session', {}, 200],
    ['/v1/chat/completions', '/v1/chat/completions', post({ model: 'test', messages: [question] }), 200],
    ['/v1/chat/completions', '/v1/chat/completions', post({ model: 'other', messages: [question] }), 404],
    ['/v1/responses', '/v1/responses', post({ model: 'test', input: 5 }), 400],
    ['/ui/chat', '/ui/chat', post({}), 422],
    ['/agui', '/agui', post({}), 422],
    ['/a2a', '/a2a', post({}), 400],
    ['/mcp', '/mcp', post([]), 400],
    ['/mcp', '/mcp', { ...post({}), headers: mcpHeaders }, 400],
    ['/api/v1/info', '/api/v1/info', {}, 200],
  ] as [path: string, target: string, init: RequestInit, status: number][])(
    '%s: %s %#',
    async (path, target, init, status) => {
      const app = makeApp()
      await (await app.request('/api/v1/chat', ask('Hi', {}, json))).text()
      const response = await app.request(target, init)
      const body = await response.text()
      expect([response.status, body]).toEqual([status, expect.any(String)])
      const { responses } = document.paths[path]?.[(init.method ?? 'GET').toLowerCase()] ?? { responses: {} }
      const described = responses[status] ?? responses.default
      const { content = {} } = described?.$ref ? (document.components.responses.Problem ?? {}) : (described ?? {})
      const type = response.headers.get('content-type')?.split(';')[0] ?? ''
      const { schema } = content[type] ?? {}
      expect(Object.keys(content)).toContain(type)
      if (!type.endsWith('json')) return
      const own = schema?.$ref ? document.components.schemas.Problem : schema
      const validate = await jsonSchemaValidator(own ?? {}, path)
      expect(validate(JSON.parse(body))).not.toHaveProperty('problems')
      expect(unnamedFields(own, JSON.parse(body))).toEqual([])
    },
  )

  it('names the fields of a run that was replaced, alone and in a list', async () => {
    const app = makeApp()
    const { run_id } = (await (await app.request('/api/v1/chat', ask('Hi', {}, json))).json()) as { run_id: string }
    await (await app.request('/api/v1/chat', ask('Hi', { replaces: run_id }, json))).text()
    const schemaOf = (path: string) =>
      document.paths[path]?.get?.responses['200']?.content?.['application/json']?.schema
    const run = await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()
    expect(run).toMatchObject({ replaced: true })
    expect(unnamedFields(schemaOf('/api/v1/runs/{id}'), run)).toEqual([])
    const listed = await (await app.request('/api/v1/runs?user_id=ada')).json()
    expect(listed).toMatchObject({ runs: [{}, { replaced: true }] })
    expect(unnamedFields(schemaOf('/api/v1/runs'), listed)).toEqual([])
  })

  it.each([
    ['/api/v1/runs/{id}/events', 'get', ['Last-Event-ID']],
    ['/api/v1/runs', 'post', ['Idempotency-Key']],
    ['/v1/chat/completions', 'post', ['X-User-Id', 'X-Session-Id']],
    ['/v1/responses/{id}', 'get', ['X-User-Id']],
    ['/ui/chat/{id}/stream', 'get', ['X-User-Id']],
  ])('names the headers that are read: %s %s', (path, method, names) => {
    const { parameters = [] } = document.paths[path]?.[method] ?? {}
    expect(parameters.filter((each) => each.in === 'header').map(({ name }) => name)).toEqual(names)
  })

  it.each([
    ['/api/v1/chat', 'post', 200, 'X-Run-Id', ask('Hi')],
    ['/api/v1/runs', 'post', 202, 'Location', ask('Hi')],
    ['/api/v1/all_chats', 'get', 200, 'Link', {}],
  ] as [path: string, method: string, status: number, header: string, init: RequestInit][])(
    'names the header of an answer: %s %s %i %s',
    async (path, method, status, header, init) => {
      const app = makeApp()
      for (const session_id of ['1', '2']) await (await app.request('/api/v1/chat', ask('Hi', { session_id }))).text()
      const target = path === '/api/v1/all_chats' ? `${path}?user_id=ada&limit=1` : path
      const response = path === '/api/v1/chat' ? await makeApp().request(path, init) : await app.request(target, init)
      expect([response.status, response.headers.get(header)]).toEqual([status, expect.any(String)])
      expect(Object.keys(document.paths[path]?.[method]?.responses[status]?.headers ?? {})).toEqual([header])
    },
  )
})

/** The fields of an answer that its schema does not name, by their paths; a schema without fields names any. */
function unnamedFields(schema: unknown, value: unknown, path = ''): string[] {
  const { properties, items } = (schema ?? {}) as { properties?: Record<string, unknown>; items?: unknown }
  if (Array.isArray(value)) return value.flatMap((each) => unnamedFields(items, each, `${path}[]`))
  if (typeof value !== 'object' || value === null || !properties) return []
  return Object.entries(value).flatMap(([name, field]) =>
    Object.hasOwn(properties, name) ? unnamedFields(properties[name], field, `${path}.${name}`) : [`${path}.${name}`],
  )
}
