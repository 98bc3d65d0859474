import { Agent, type Note, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { chatRequest, expectProblem, validFields } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'

const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-bob': 'bob' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A memory that shows what it was asked. */
function remembering() {
  const notes: Record<string, Note[]> = {
    ada: [{ noteId: 'n1', text: 'Has an oak.', at: '2026-11-24T00:00:00.000Z', sessionId: 's1', runId: 'r1' }],
    bob: [{ noteId: 'n2', text: 'Has a birch.', at: '2026-11-24T00:00:00.000Z' }],
  }
  const agent = new Agent({
    name: 'Garden',
    model: scriptedModel([]),
    sessions: sqliteSessions(':memory:'),
    memory: () => ({
      tools: [],
      search: async () => [],
      notes: async ({ userId }) => notes[userId] ?? [],
      delete: async ({ userId }) => void delete notes[userId],
    }),
  })
  return createApp(agent, { auth: { tokens }, log: () => {} })
}

it("lists and deletes one's own notes", async () => {
  const app = remembering()
  const listed = await app.request('/api/v1/memory', { headers: bearer('the-token-of-ada') })
  expect(await listed.json()).toEqual({
    notes: [{ note_id: 'n1', text: 'Has an oak.', at: '2026-11-24T00:00:00.000Z', session_id: 's1', run_id: 'r1' }],
  })
  const deleted = await app.request('/api/v1/memory?user_id=ada', {
    method: 'DELETE',
    headers: bearer('the-token-of-ada'),
  })
  expect(deleted.status).toBe(204)
  const after = await app.request('/api/v1/memory', { headers: bearer('the-token-of-ada') })
  expect(await after.json()).toEqual({ notes: [] })
  const other = await app.request('/api/v1/memory', { headers: bearer('the-token-of-bob') })
  expect(await other.json()).toMatchObject({ notes: [{ note_id: 'n2', session_id: null, run_id: null }] })
})

it("refuses another user's", async () => {
  const app = remembering()
  for (const method of ['GET', 'DELETE']) {
    const request = { method, headers: bearer('the-token-of-ada') }
    await expectProblem(await app.request('/api/v1/memory?user_id=bob', request), 404, 'not-found')
  }
})

it('says of an agent without memory that it has none', async () => {
  const agent = new Agent({ name: 'Plain', model: scriptedModel([]) })
  const app = createApp(agent, { log: () => {} })
  const problem = await expectProblem(await app.request('/api/v1/memory?user_id=ada'), 400, 'unsupported')
  expect(problem).toMatchObject({ detail: 'The agent has no memory. Give it the option `memory`.' })
})

it('cites an earlier turn in snake case, as all bodies are', async () => {
  const session = { sessionId: 's1', runId: 'r1', at: '2026-11-24T00:00:00.000Z' }
  const source = { file: 'session/s1', start: 0, end: 3, quote: 'oak', chunkId: 'r1:0', session, score: { fused: 1 } }
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: (_input, context) => context?.cite([source]),
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'An oak.'])
  const app = createApp(new Agent({ name: 'Garden', model, functions: [look] }), { log: () => {} })
  const request = chatRequest(validFields, { accept: 'application/json' })
  const body = (await (await app.request('/api/v1/chat', request)).json()) as { sources: unknown[] }
  const { chunkId: chunk_id, session: _, ...rest } = source
  const place = { session_id: 's1', run_id: 'r1', at: session.at }
  expect(body.sources).toEqual([{ ...rest, chunk_id, session: place }])
})
