import { Agent, memorySessions, type SessionStore, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { expectProblem } from '../__fixtures__/requests.ts'
import { heldTool } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const tokens = { 'the-token-of-ada': 'ada' }
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
})

function appWith(turns: readonly ScriptedTurn[], sessions: SessionStore = sqliteSessions(':memory:')): Hono {
  const agent = new Agent({
    name: 'Notes',
    functions: [pay],
    model: scriptedModel(turns),
    sessions,
    retry: { attempts: 1 },
  })
  return createApp(agent, { log: () => {} })
}

async function ask(app: Hono, content: string, more: object = {}): Promise<string> {
  const body = JSON.stringify({ user_id: 'ada', session_id: 's', messages: [{ role: 'user', content }], ...more })
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  const response = await app.request('/api/v1/chat_stream', { method: 'POST', headers, body })
  await response.text()
  return response.headers.get('x-run-id') ?? ''
}

async function turnsOf(app: Hono, query = '', session = 's') {
  const response = await app.request(`/api/v1/sessions/${session}/turns?user_id=ada${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as { turns: Record<string, unknown>[]; previous: string | null }
}

describe('GET /api/v1/sessions/{session_id}/turns', () => {
  it('cuts no character of a long question in half', async () => {
    const app = appWith(['One.'])
    await ask(app, `x${'😀'.repeat(140_000)}`)
    const { turns } = await turnsOf(app)
    const question = String(turns[0]?.question)
    expect(question).toHaveLength(256 * 1024 - 1)
    expect(question.isWellFormed()).toBe(true)
  })

  it('has each question with its run, failed and waiting ones too', async () => {
    const app = appWith([
      'One.',
      () => new Error('SECRET of the model'),
      { text: 'Wait.', toolCalls: [{ name: 'pay' }] },
    ])
    const first = await ask(app, 'First?', { resumable: true })
    await ask(app, 'Second?', { resumable: true })
    await ask(app, 'Third?', { resumable: true })
    const { turns, previous } = await turnsOf(app)
    expect(previous).toBe(null)
    expect(turns).toMatchObject([
      {
        run_id: first,
        status: 'done',
        question: 'First?',
        answer: 'One.',
        finish_reason: 'stop',
        models: ['test/scripted'],
        events: true,
      },
      {
        status: 'failed',
        question: 'Second?',
        answer: null,
        error: { code: 'provider-error' },
        models: [],
        events: true,
      },
      { status: 'waiting', question: 'Third?', answer: 'Wait.', approvals: [{ name: 'pay', kind: 'approval' }] },
    ])
    expect(turns[0]?.usage).toMatchObject({ total_tokens: 15 })
    expect(JSON.stringify(turns)).not.toContain('SECRET')
  })

  it('leaves replaced turns out', async () => {
    const app = appWith(['One.', 'Two.'])
    const first = await ask(app, 'First?', { resumable: true })
    await ask(app, 'Again?', { resumable: true, replaces: first })
    expect((await turnsOf(app)).turns.map(({ question }) => question)).toEqual(['Again?'])
  })

  it('refuses to replace a run that the session does not have, also before a resumable stream begins', async () => {
    const app = appWith(['Other.'])
    const messages = [{ role: 'user', content: 'Again?' }]
    const ofOther = await ask(app, 'Other?', { session_id: 'other' })
    for (const replaces of ['run_unknown', ofOther]) {
      const body = { user_id: 'ada', session_id: 's', messages, resumable: true, replaces }
      const headers = { 'content-type': 'application/json' }
      const response = await app.request('/api/v1/chat_stream', { method: 'POST', headers, body: JSON.stringify(body) })
      const problem = await expectProblem(response, 404, 'not-found')
      expect(problem.errors).toMatchObject([{ path: ['replaces'] }])
    }
    expect((await turnsOf(app)).turns).toEqual([])
  })

  it('replaces, by a resumable run, one that still waits for its session', async () => {
    const { wait, begun, release } = heldTool()
    const model = scriptedModel([{ toolCalls: [{ name: 'wait' }] }, 'First.', 'Third.'])
    const agent = new Agent({ name: 'Notes', functions: [wait], model, sessions: sqliteSessions(':memory:') })
    // The first heartbeat sends the headers of a run that waits.
    const app = createApp(agent, { log: () => {}, limits: { heartbeatMs: 10 } })
    const send = (content: string, more: object = {}) => {
      const body = { user_id: 'ada', session_id: 's', messages: [{ role: 'user', content }], ...more }
      const headers = { 'content-type': 'application/json' }
      return app.request('/api/v1/chat_stream', { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const first = await send('First?')
    await begun
    const waiting = await send('Second?')
    const replacing = send('Third?', { resumable: true, replaces: waiting.headers.get('x-run-id') })
    // It ends the one that it replaces.
    await Promise.race([waiting.text(), replacing])
    release()
    expect((await replacing).status).toBe(200)
    await Promise.all([first.text(), (await replacing).text()])
    expect((await turnsOf(app)).turns.map(({ question }) => question)).toEqual(['First?', 'Third?'])
  })

  it('gives the last turns first, page by page', async () => {
    const app = appWith(['1', '2', '3', '4', '5'])
    for (const question of ['a', 'b', 'c', 'd', 'e']) await ask(app, question)
    const seen: unknown[] = []
    for (let before = ''; ; ) {
      const { turns, previous } = await turnsOf(app, `&limit=2${before}`)
      seen.push(turns.map(({ question, answer }) => `${question}${answer}`))
      if (previous === null) break
      before = `&before=${previous}`
    }
    expect(seen).toEqual([['d4', 'e5'], ['b2', 'c3'], ['a1']])
    expect(await turnsOf(app, '&before=run_unknown')).toEqual({ turns: [], previous: null })
  })

  it('reads the turns that it shows, however many there are before them', async () => {
    const sessions = sqliteSessions(':memory:')
    const key = { agentId: 'notes', userId: 'ada', sessionId: 's' }
    const shown: string[] = []
    for (let index = 0; index < 300; index++) {
      // Each tenth turn replaces the three before it.
      const replaces = index % 10 === 9 ? shown.splice(-3)[0] : undefined
      const question = { v: 1 as const, role: 'user' as const, content: `${index}` }
      const expectedVersion = (await sessions.load(key))?.version ?? 0
      await sessions.begin(key, {
        runId: `r${index}`,
        expectedVersion,
        input: [question],
        ...(replaces && { replaces }),
      })
      await sessions.end(`r${index}`, 'done')
      shown.push(`r${index}`)
    }
    let read = 0
    const counting: SessionStore = {
      ...sessions,
      turns: async (...asked) => {
        const turns = await sessions.turns(...asked)
        read += turns.length
        return turns
      },
    }
    const app = appWith([], counting)
    const seen: unknown[] = []
    for (let before = ''; ; ) {
      read = 0
      const { turns, previous } = await turnsOf(app, `&limit=10${before}`)
      expect(read).toBeLessThanOrEqual(80)
      seen.unshift(...turns.map(({ run_id }) => run_id))
      if (previous === null) break
      before = `&before=${previous}`
    }
    expect(seen).toEqual(shown)
    expect((await turnsOf(app, '&limit=10&before=r8')).turns.map(({ run_id }) => run_id)).toEqual(shown.slice(0, 6))
  })

  it('works where nothing is stored of runs but their messages', async () => {
    const app = appWith(['One.'], memorySessions())
    const run = await ask(app, 'First?')
    expect((await turnsOf(app)).turns).toMatchObject([
      { run_id: run, question: 'First?', answer: 'One.', events: false },
    ])
  })

  it.each(['s', 'unknown', 'x'.repeat(200)])('is empty for a conversation without turns: %s', async (session) => {
    expect(await turnsOf(appWith([]), '', session)).toEqual({ turns: [], previous: null })
  })

  it("shows nothing of another user's conversation", async () => {
    const sessions = sqliteSessions(':memory:')
    await ask(appWith(['One.'], sessions), 'First?')
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel([]), sessions })
    const app = createApp(agent, { auth: { tokens: { ...tokens, 'the-token-of-bob': 'bob' } } })
    const get = (token: string, query = '') =>
      app.request(`/api/v1/sessions/s/turns${query}`, { headers: { authorization: `Bearer ${token}` } })
    expect(await (await get('the-token-of-bob')).json()).toEqual({ turns: [], previous: null })
    await expectProblem(await get('the-token-of-bob', '?user_id=ada'), 404, 'not-found')
    expect((await (await get('the-token-of-ada')).json()).turns).toHaveLength(1)
  })

  it.each(['&limit=0', '&limit=201', '&limit=x'])('refuses %s', async (query) => {
    await expectProblem(await appWith([]).request(`/api/v1/sessions/s/turns?user_id=ada${query}`), 422, 'invalid-field')
  })
})
