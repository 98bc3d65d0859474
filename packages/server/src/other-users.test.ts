import { Agent } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { chatRequest, expectProblem, validFields } from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'

const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

type Parameter = { name: string; in: string; required?: boolean }
type Operation = { parameters?: Parameter[] }
type Document = { paths: Record<string, Record<string, Operation>> }

it("36 answers a token of one user with 404 for another user's data, on every route that takes a user in its query", async () => {
  const sessions = sqliteSessions(':memory:')
  const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['CANARY of Bob.']), sessions })
  const app = createApp(agent, { auth: { tokens }, log: () => {} })
  const ofBob = { ...validFields, user_id: 'bob' }
  const answered = await app.request('/api/v1/chat', chatRequest(ofBob, bearer('the-token-of-all')))
  const runId = answered.headers.get('x-run-id') ?? ''
  expect(await answered.text()).toBe('CANARY of Bob.')

  const values: Record<string, string> = { session_id: 'first', id: runId, run_id: runId }
  const knownValue = (name: string): string => values[name] ?? 'x'
  const document = await app.request('/openapi.json', { headers: bearer('the-token-of-all') })
  const { paths } = (await document.json()) as Document
  const asked: string[] = []
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      const query = parameters.filter((parameter) => parameter.in === 'query')
      if (!query.some(({ name }) => name === 'user_id')) continue
      const required = query.filter(({ name, required }) => required && name !== 'user_id')
      const search = new URLSearchParams(required.map(({ name }) => [name, knownValue(name)]))
      search.set('user_id', 'bob')
      const place = path.replace(/\{(\w+)\}/g, (_, name: string) => knownValue(name))
      const body = new FormData()
      body.set('files', new File(['Notes.'], 'notes.txt'))
      // An upload is read by its type before its user.
      const upload = method === 'post' && { body }
      const request = { method: method.toUpperCase(), headers: bearer('the-token-of-ada'), ...upload }
      const response = await app.request(`${place}?${search}`, request)
      asked.push(`${request.method} ${path}`)
      await expectProblem(response, 404, 'not-found')
    }
  }
  expect(asked).toEqual(
    expect.arrayContaining([
      'GET /api/v1/chat_history',
      'GET /api/v1/all_chats',
      'GET /api/v1/sessions',
      'GET /api/v1/runs',
      'GET /api/v1/runs/{id}',
      'GET /api/v1/info',
      'GET /api/v1/memory',
      'DELETE /api/v1/memory',
    ]),
  )
  await sessions.close()
})

it("answers the same for another user's run or session as for one that does not exist, on every route that names one", async () => {
  const sessions = sqliteSessions(':memory:')
  const model = scriptedModel(['Hello Ada.', 'CANARY of Bob.'])
  const agent = new Agent({ name: 'Test', functions: [], model, sessions })
  const app = createApp(agent, { auth: { tokens }, log: () => {}, dialects: ['openai', 'ui', 'agui', 'mcp', 'a2a'] })
  const own = { ...validFields, user_id: 'ada', session_id: 'own' }
  await (await app.request('/api/v1/chat', chatRequest(own, bearer('the-token-of-ada')))).text()
  const fields = { ...validFields, user_id: 'bob', resumable: 'true' }
  const answered = await app.request('/api/v1/chat', chatRequest(fields, bearer('the-token-of-all')))
  expect(await answered.text()).toBe('CANARY of Bob.')
  const ofBob = answered.headers.get('x-run-id') ?? ''
  const ids: [name: string, ofBob: string, unknown: string][] = [
    ['run', ofBob, `${ofBob.slice(0, -4)}zzzz`],
    ['session', 'first', 'other'],
  ]
  const document = await app.request('/openapi.json', { headers: bearer('the-token-of-all') })
  const { paths } = (await document.json()) as Document
  const asked: string[] = []
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      const queried = parameters.filter(({ in: place, name }) => place === 'query' && /^(?:after|before)$/.test(name))
      if (!path.includes('{') && queried.length === 0) continue
      for (const [kind, ...both] of ids) {
        const answers: string[] = []
        for (const id of both) {
          const place = path.replace(/\{\w+\}/g, path.startsWith('/v1/responses') ? `resp_${id}` : id)
          const query = method === 'get' ? `?${new URLSearchParams(queried.map(({ name }) => [name, id]))}` : ''
          const body = JSON.stringify(path.includes('approvals') ? { approve: true } : { title: 'Mine' })
          const response = await app.request(`${place}${query}`, {
            ...{
              method: method.toUpperCase(),
              headers: { ...bearer('the-token-of-ada'), 'content-type': 'application/json' },
            },
            ...(method !== 'get' && { body }),
          })
          const text = (await response.text()).replaceAll(id, 'ID').replace(/"request_id":"[^"]*"/, '')
          answers.push(`${response.status} ${text}`)
        }
        asked.push(`${method.toUpperCase()} ${path} ${kind}`)
        expect([asked.at(-1), answers[0]]).toEqual([asked.at(-1), answers[1]])
        expect(answers[0]).not.toContain('CANARY')
      }
    }
  }
  expect(asked).toEqual(
    expect.arrayContaining([
      ...['GET /api/v1/runs/{id} run', 'GET /api/v1/runs/{id}/events run', 'POST /api/v1/runs/{id}/cancel run'],
      ...['GET /api/v1/runs run', 'DELETE /api/v1/sessions/{session_id} session', 'GET /v1/responses/{id} run'],
    ]),
  )
  expect((await sessions.find(ofBob))?.status).toBe('done')
  await sessions.close()
})
