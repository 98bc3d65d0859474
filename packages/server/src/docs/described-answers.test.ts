import type { JSONSchema } from '@agentkit/core'
import { jsonSchemaValidator } from '@agentkit/core/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

type Content = Record<string, { schema: JSONSchema }>
type Answer = { content?: Content; $ref?: string }
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>
  components: { responses: Record<string, Answer>; schemas: Record<string, JSONSchema> }
}

const stored = storedAgents()
const json = { accept: 'application/json' }
const post = (body: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...json },
})
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
    },
  )
})
