import type { JSONSchema } from '@agentkit/core'
import { jsonSchemaValidator } from '@agentkit/core/internal'
import { describe, expect, it } from 'vitest'
import { folderKnowledge } from '../__fixtures__/folder-knowledge.ts'
import { storedAgents } from '../__fixtures__/stored-agent.ts'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { createApp } from '../create-app.ts'
import type { ServerOptions } from '../options.ts'

type Parameter = { name: string; in: string; required: boolean; schema: JSONSchema }
type Operation = { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: JSONSchema }> } }

const stored = storedAgents()
const folder = testFolder()
const dialects = ['openai', 'ui', 'agui', 'mcp', 'a2a'] as const
const question = { role: 'user', content: 'Hi' }
const chat = { user_id: 'ada', session_id: 'first', messages: [question] }
const completion = { model: 'test', messages: [question] }
const ui = { id: 'first', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }
const agui = { threadId: 'first', runId: 'r1', messages: [question] }
const call = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }

function makeApp(options: ServerOptions = {}) {
  const { agent } = stored(['Hello.'])
  return createApp(agent, { dialects, log: () => {}, ...options })
}

async function operationOf(app: ReturnType<typeof makeApp>, method: string, path: string): Promise<Operation> {
  const headers = { authorization: 'Bearer the-token-of-all' }
  const { paths } = (await (await app.request('/openapi.json', { headers })).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  return paths[path]?.[method.toLowerCase()] ?? {}
}

describe('a body is valid by /openapi.json when its route accepts it', () => {
  it.each([
    ['POST', '/api/v1/chat', chat, true],
    ['POST', '/api/v1/chat', { session_id: 'first', messages: [question] }, false],
    ['POST', '/api/v1/chat', { ...chat, user_id: '' }, false],
    ['POST', '/api/v1/chat', { ...chat, user_id: 'ü'.repeat(128) }, true],
    ['POST', '/api/v1/chat', { ...chat, user_id: 'a'.repeat(129) }, false],
    ['POST', '/api/v1/chat', { ...chat, user_id: 'a\nb' }, false],
    ['POST', '/api/v1/chat', { ...chat, user_id: 'a\u0085b' }, false],
    ['POST', '/api/v1/chat', { ...chat, user_id: '..' }, true],
    ['POST', '/api/v1/chat', { ...chat, session_id: '..' }, false],
    ['POST', '/api/v1/chat', { ...chat, session_id: '.' }, false],
    ['POST', '/api/v1/chat', { ...chat, session_id: '..a' }, true],
    ['POST', '/api/v1/chat', { ...chat, messages: [] }, false],
    ['POST', '/api/v1/chat', { ...chat, other: 1 }, false],
    ['POST', '/api/v1/chat_stream', { session_id: 'first', messages: [question] }, false],
    ['POST', '/v1/chat/completions', completion, true],
    ['POST', '/v1/chat/completions', { ...completion, stream: null }, true],
    ['POST', '/v1/chat/completions', { ...completion, messages: [] }, false],
    ['POST', '/v1/chat/completions', { ...completion, messages: [{ content: 'Hi' }] }, false],
    [
      'POST',
      '/v1/chat/completions',
      {
        ...completion,
        messages: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        ],
      },
      true,
    ],
    ['POST', '/v1/responses', { model: 'test', input: 'Hi', instructions: null }, true],
    ['POST', '/v1/responses', { model: 'test', input: [question] }, true],
    ['POST', '/v1/responses', { model: 'test', input: [] }, false],
    ['POST', '/v1/responses', { model: 'test', input: 5 }, false],
    ['POST', '/ui/chat', ui, true],
    ['POST', '/ui/chat', { ...ui, id: undefined }, false],
    ['POST', '/ui/chat', { ...ui, messages: [] }, false],
    ['POST', '/ui/chat', { ...ui, trigger: 'other' }, false],
    ['POST', '/agui', agui, true],
    ['POST', '/agui', { ...agui, tools: null }, true],
    ['POST', '/agui', { ...agui, runId: undefined }, false],
    ['POST', '/a2a', call, true],
    ['POST', '/a2a', { ...call, id: undefined }, false],
    ['POST', '/a2a', { ...call, jsonrpc: '1.0' }, false],
    ['POST', '/mcp', { ...call, method: 'tools/list' }, true],
    ['POST', '/mcp', { method: 'tools/list' }, false],
  ] as [method: string, path: string, body: object, isAccepted: boolean][])(
    '%s %s %#',
    async (method, path, body, isAccepted) => {
      const app = makeApp()
      const { requestBody } = await operationOf(app, method, path)
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'a2a-version': '1.0',
      }
      const response = await app.request(path, { method, headers, body: JSON.stringify(body) })
      await response.text()
      expect(isAccepted ? [200] : [400, 422]).toContain(response.status)
      const validate = await jsonSchemaValidator(requestBody?.content['application/json']?.schema ?? {}, path)
      expect('problems' in validate(JSON.parse(JSON.stringify(body)))).toBe(!isAccepted)
    },
  )

  it.each([
    ['DELETE', '/api/v1/delete_documents', { index_name: 'notes', file_path: ['a.txt'] }, true],
    ['DELETE', '/api/v1/delete_documents', { index_name: 'notes', folder_path: 'a' }, true],
    ['DELETE', '/api/v1/delete_documents', { index_name: 'notes' }, false],
    ['POST', '/api/v1/create_index', { index_name: 'notes' }, true],
    ['POST', '/api/v1/runs/{id}/approvals/{approval_id}', { user_id: 'ada', approve: false }, true],
    ['POST', '/api/v1/runs/{id}/approvals/{approval_id}', { user_id: 'ada', result: null }, true],
    ['POST', '/api/v1/runs/{id}/approvals/{approval_id}', { user_id: 'ada', reason: 'Late' }, false],
  ] as [method: string, path: string, body: object, isValid: boolean][])(
    '%s %s %o',
    async (method, path, body, isValid) => {
      const { requestBody } = await operationOf(makeApp(), method, path)
      const validate = await jsonSchemaValidator(requestBody?.content['application/json']?.schema ?? {}, path)
      expect('problems' in validate(body as never)).toBe(!isValid)
    },
  )
})

describe('`user_id` is required where a request without it is refused', () => {
  const auth = { tokens: { 'the-token-of-all': '*' } }

  it.each([
    ['GET', '/api/v1/sessions', {}, true],
    ['GET', '/api/v1/runs', {}, true],
    ['GET', '/api/v1/usage', {}, true],
    ['DELETE', '/api/v1/sessions/{session_id}', {}, true],
    ['GET', '/api/v1/sessions', { auth }, false],
    ['GET', '/api/v1/info', {}, false],
    ['GET', '/api/v1/files', {}, false],
    ['GET', '/api/v1/files', { perUserFiles: true }, true],
  ] as [method: string, path: string, options: ServerOptions, isRequired: boolean][])(
    '%s %s with %o: %s',
    async (method, path, options, isRequired) => {
      const { agent } = stored([])
      const knowledge = { ...folderKnowledge(folder.path), separateUsers: () => {} }
      const app = createApp(Object.assign(agent, { knowledge }), { log: () => {}, ...options })
      const { parameters = [] } = await operationOf(app, method, path)
      expect(parameters.find(({ name }) => name === 'user_id')?.required).toBe(isRequired)
      if (options.auth) return
      const { status } = await app.request(path.replace('{session_id}', 'first'), { method })
      expect(status === 422).toBe(isRequired)
    },
  )
})

it('names the form of dates', async () => {
  const { parameters = [] } = await operationOf(makeApp(), 'GET', '/api/v1/usage')
  const { schema } = parameters.find(({ name }) => name === 'from') ?? {}
  const validate = await jsonSchemaValidator(schema ?? {}, 'from')
  expect(['2026-11-24', '2026-11-24T10:00Z', '24.11.2026', 'now'].map((date) => 'problems' in validate(date))).toEqual([
    ...[false, false, true, true],
  ])
})
