import { Agent, AgentKitError, type AgentOptions, memorySessions, type SessionStore, Swarm, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { chatData, chatRequest, expectProblem, until, validFields } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'

const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-bob': 'bob', 'the-token-of-all': '*' }
const quiet = { log: () => {} }

const stores: [name: string, make: () => SessionStore][] = [
  ['memory', memorySessions],
  ['SQLite', () => sqliteSessions(':memory:')],
]

describe.each(stores)('sessions over HTTP, in %s', (_name, makeStore) => {
  function appWith(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
    const sessions = makeStore()
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel(turns), sessions, ...options })
    return { app: createApp(agent, quiet), agent, sessions }
  }

  describe('GET /api/v1/chat_history', () => {
    it('has the texts of the conversation with the times of their turns, oldest first', async () => {
      const { app, sessions } = appWith(['Hello Ada.', 'Felix.'])
      await say(app, 'I am Ada.')
      await say(app, 'What is my cat called?')
      const history = await read(app, '/api/v1/chat_history?user_id=ada&session_id=first')
      const turns = await sessions.turns({ agentId: 'notes', userId: 'ada', sessionId: 'first' })
      const [first, second] = turns.map(({ createdAt }) => createdAt)
      const place = { user_id: 'ada', session_id: 'first' }
      expect(history).toEqual([
        { ...place, message: 'I am Ada.', role: 'user', timestamp: first },
        { ...place, message: 'Hello Ada.', role: 'assistant', timestamp: first },
        { ...place, message: 'What is my cat called?', role: 'user', timestamp: second },
        { ...place, message: 'Felix.', role: 'assistant', timestamp: second },
      ])
    })

    it('has the text beside tool calls, and neither calls nor results', async () => {
      const calls = [{ text: 'Let me look.', toolCalls: [{ name: 'weather' }] }, { toolCalls: [{ name: 'weather' }] }]
      const { app } = appWith([...calls, 'Clear.'], { functions: [weather] })
      await say(app, 'Weather?')
      expect(await messages(app)).toEqual(['Weather?', 'Let me look.', 'Clear.'])
    })

    it('begins with the messages that seed a session', async () => {
      const { app } = appWith(['Fine.'])
      const earlier = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
      ]
      const chat_data = chatData(...earlier, { role: 'user', content: 'How are you?' })
      await app.request('/api/v1/chat', chatRequest({ ...validFields, chat_data }))
      expect(await messages(app)).toEqual(['Hi', 'Hello.', 'How are you?', 'Fine.'])
    })

    it('shows the same of a failed turn as the model sees: nothing, or finished calls and the reason', async () => {
      const failing = (): Error => new Error('down')
      const useTool = { text: 'Let me look.', toolCalls: [{ name: 'weather' }] }
      const { app } = appWith(['One.', failing, useTool, failing, 'Two.'], {
        functions: [weather],
        retry: { attempts: 1 },
      })
      await say(app, 'First?')
      expect((await say(app, 'Forgotten?')).status).toBe(502)
      expect((await say(app, 'Weather?')).status).toBe(502)
      expect(await messages(app)).toEqual([
        'First?',
        'One.',
        'Weather?',
        'Let me look.',
        expect.stringMatching(/^\[stopped: /),
      ])
    })

    it('does not show turns that were replaced', async () => {
      const { app } = appWith(['One.', 'Two.', 'Three.', 'Two again.'])
      await say(app, 'First?')
      const second = await say(app, 'Second?')
      await say(app, 'Third?')
      await say(app, 'Second, again?', { replaces: second.headers.get('x-run-id') ?? '' })
      expect(await messages(app)).toEqual(['First?', 'One.', 'Second, again?', 'Two again.'])
      expect((await list(app)).sessions).toMatchObject([{ turns: 2 }])
    })

    it('is 404 for a session that is unknown, another’s, or has nothing to show', async () => {
      const { app } = appWith(['One.', () => new Error('down')], { retry: { attempts: 1 } })
      await say(app, 'First?')
      await say(app, 'Other?', { session_id: 'failed' })
      for (const query of [
        'user_id=ada&session_id=x',
        'user_id=bob&session_id=first',
        'user_id=ada&session_id=failed',
      ]) {
        const { detail } = await expectProblem(await app.request(`/api/v1/chat_history?${query}`), 404, 'not-found')
        expect(detail).toBe('No chat history found for this user')
      }
    })

    it('does not show a turn that is still running', async () => {
      const running = Promise.withResolvers<string>()
      const model = scriptedModel(['One.', () => running.promise])
      const { app } = appWith([], { model })
      await say(app, 'First?')
      const second = say(app, 'Second?')
      await until(() => model.requests.length === 2)
      expect(await messages(app)).toEqual(['First?', 'One.'])
      running.resolve('Two.')
      await second
      expect(await messages(app)).toEqual(['First?', 'One.', 'Second?', 'Two.'])
    })

    it.each([
      ['no user', 'session_id=first', 'missing-field', 'user_id'],
      ['no session', 'user_id=ada', 'missing-field', 'session_id'],
      ['an empty user', 'user_id=&session_id=first', 'invalid-field', 'user_id'],
      ['a control character', 'user_id=ada&session_id=a%00b', 'invalid-field', 'session_id'],
      ['129 characters', `user_id=ada&session_id=${'a'.repeat(129)}`, 'invalid-field', 'session_id'],
      ['a parameter twice', 'user_id=ada&user_id=bob&session_id=first', 'invalid-field', 'user_id'],
      ['bytes that are not UTF-8', 'user_id=ada&session_id=%ff', 'invalid-field', 'session_id'],
    ])('is 422 for %s', async (_case, query, code, field) => {
      const response = await appWith([]).app.request(`/api/v1/chat_history?${query}`)
      expect((await expectProblem(response, 422, code)).errors).toMatchObject([{ path: [field] }])
    })

    it('finds sessions whose ids have a replacement character, or a percent sign that begins no byte', async () => {
      const { app } = appWith(['One.'])
      await say(app, 'First?', { session_id: '\ufffd 5%' })
      const path = '/api/v1/chat_history?user_id=ada&session_id=%EF%BF%BD%205%'
      expect(await (await app.request(path)).json()).toHaveLength(2)
    })

    it('sends a long conversation in pieces, and stops reading when the client leaves', async () => {
      const { app, agent, sessions } = appWith(Array.from({ length: 30 }, () => 'x'.repeat(30_000)))
      for (let index = 0; index < 30; index++)
        await agent.chat(`Question ${index}?`, { userId: 'ada', sessionId: 'first' })
      let reads = 0
      const { turns } = sessions
      sessions.turns = (...values) => {
        reads++
        return turns(...values)
      }
      expect(await messages(app)).toHaveLength(60)
      expect(reads).toBe(4)
      reads = 0
      const { body } = await app.request('/api/v1/chat_history?user_id=ada&session_id=first')
      await body?.cancel()
      expect(reads).toBe(1)
    })
  })

  describe('GET /api/v1/all_chats', () => {
    it('has the conversations of a user, the most recently used first, for any ids', async () => {
      const { app } = appWith(['a', 'b', 'c', 'd'])
      for (const session_id of ['10', '2', '__proto__']) await say(app, session_id, { session_id })
      await say(app, 'Not hers', { user_id: 'bob' })
      const text = await (await app.request('/api/v1/all_chats?user_id=ada')).text()
      expect(text.match(/"(10|2|__proto__)":/g)).toEqual(['"__proto__":', '"2":', '"10":'])
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
      expect(JSON.parse(text)['10']).toEqual([
        { message: '10', role: 'user', timestamp: time },
        { message: 'a', role: 'assistant', timestamp: time },
      ])
    })

    it('pages by `limit` and `after`, with the address of the next page', async () => {
      const { app } = appWith(Array.from({ length: 5 }, () => 'Yes.'))
      const ids = ['a', 'b/ö&?', 'c', 'd', 'e']
      for (const session_id of ids) await say(app, 'Hi', { session_id })
      const seen: string[] = []
      let pages = 0
      for (let next: string | undefined = '/api/v1/all_chats?user_id=ada&limit=2'; next; pages++) {
        const response: Response = await app.request(next)
        seen.push(...Object.keys((await response.json()) as object))
        next = /^<(.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
      }
      expect([seen, pages]).toEqual([ids.toReversed(), 3])
      expect(await read(app, '/api/v1/all_chats?user_id=ada&after=a')).toEqual({})
      expect(await read(app, '/api/v1/all_chats?user_id=ada&after=unknown')).toEqual({})
    })

    it('names the next page below the path of the server', async () => {
      const sessions = makeStore()
      const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel(['1', '2']), sessions })
      const app = createApp(agent, { ...quiet, basePath: '/agent' })
      for (const session_id of ['a', 'b']) {
        await app.request('/agent/api/v1/chat', chatRequest({ ...validFields, session_id }))
        const before = Date.now()
        await until(() => Date.now() > before)
      }
      const response = await app.request('/agent/api/v1/all_chats?user_id=ada&limit=1')
      expect(response.headers.get('link')).toBe('</agent/api/v1/all_chats?user_id=ada&limit=1&after=b>; rel="next"')
    })

    it('is 404 for a user without conversations', async () => {
      const { app } = appWith([() => new Error('down')], { retry: { attempts: 1 } })
      await say(app, 'Lost?')
      for (const user of ['ada', 'bob']) {
        const response = await app.request(`/api/v1/all_chats?user_id=${user}`)
        expect((await expectProblem(response, 404, 'not-found')).detail).toBe('No chats found for this user')
      }
    })

    it.each(['0', '1001', '-1', '1.5', 'ten', '', '1e2', '99999999999999999999'])('refuses limit=%s', async (limit) => {
      const { app } = appWith([])
      for (const path of ['all_chats', 'sessions']) {
        await expectProblem(await app.request(`/api/v1/${path}?user_id=ada&limit=${limit}`), 422, 'invalid-field')
      }
    })
  })

  describe('GET /api/v1/sessions', () => {
    it('lists them, the most recently used first', async () => {
      const { app } = appWith(['1', '2', '3'])
      await say(app, `What\n is ${'x'.repeat(80)}`, { session_id: 'a' })
      await say(app, 'B?', { session_id: 'b' })
      await say(app, 'A again?', { session_id: 'a' })
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
      const times = { created_at: time, updated_at: time }
      expect(await read(app, '/api/v1/sessions?user_id=ada')).toEqual({
        sessions: [
          { session_id: 'a', title: `What is ${'x'.repeat(52)}`, ...times, turns: 2, active_run_id: null },
          { session_id: 'b', title: 'B?', ...times, turns: 1, active_run_id: null },
        ],
        next: null,
      })
    })

    it('is empty for a user without sessions', async () => {
      const { app } = appWith(['1'])
      await say(app, 'Hi')
      expect(await read(app, '/api/v1/sessions?user_id=bob')).toEqual({ sessions: [], next: null })
    })

    it('names the run that is active', async () => {
      const running = Promise.withResolvers<string>()
      const model = scriptedModel([() => running.promise])
      const { app } = appWith([], { model })
      const answer = say(app, 'Hi')
      const active = async () => (await list(app)).sessions[0]?.active_run_id
      await until(() => model.requests.length === 1)
      expect(await active()).toMatch(/^run_/)
      running.resolve('Hello.')
      await answer
      expect(await active()).toBeNull()
    })

    it('pages by `limit` and `before`', async () => {
      const { app } = appWith(Array.from({ length: 5 }, () => 'Yes.'))
      for (const session_id of ['a', 'b', 'c', 'd', 'e']) await say(app, 'Hi', { session_id })
      const seen: string[][] = []
      for (let before = ''; ; ) {
        const page = await list(app, `&limit=2${before}`)
        seen.push(page.sessions.map(({ session_id }) => session_id))
        if (page.next === null) break
        before = `&before=${page.next}`
      }
      expect(seen).toEqual([['e', 'd'], ['c', 'b'], ['a']])
    })

    it('finds a text in titles and messages, in any case', async () => {
      const { app } = appWith(['It is FELIX.', 'No.'])
      await say(app, 'My cat?', { session_id: 'a' })
      await say(app, 'My dog?', { session_id: 'b' })
      const found = async (q: string) => (await list(app, `&q=${q}`)).sessions.map(({ session_id }) => session_id)
      expect(await found('felix')).toEqual(['a'])
      expect(await found('DOG')).toEqual(['b'])
      expect(await found('my')).toEqual(['b', 'a'])
      expect(await found('')).toEqual(['b', 'a'])
      expect(await found('%25')).toEqual([])
      const long = await app.request(`/api/v1/sessions?user_id=ada&q=${'x'.repeat(201)}`)
      await expectProblem(long, 422, 'invalid-field')
    })
  })

  describe('PATCH /api/v1/sessions/{session_id}', () => {
    it('sets the title, and answers with the session', async () => {
      const { app } = appWith(['1', '2'])
      await say(app, 'Hi', { session_id: 'a' })
      await say(app, 'Hi', { session_id: 'b' })
      const response = await app.request('/api/v1/sessions/a', json('PATCH', { user_id: 'ada', title: 'Köln 🐈' }))
      expect(response.status).toBe(200)
      const renamed = await response.json()
      expect(renamed).toMatchObject({ session_id: 'a', title: 'Köln 🐈', turns: 1, active_run_id: null })
      const { sessions } = await list(app, '&q=köln')
      expect(sessions).toEqual([renamed])
    })

    it.each([
      ['no title', {}, 'missing-field'],
      ['an empty one', { title: '' }, 'invalid-field'],
      ['201 characters', { title: '🐈'.repeat(201) }, 'invalid-field'],
      ['a number', { title: 5 }, 'invalid-field'],
      ['a control character', { title: 'a\u0000b' }, 'invalid-field'],
      ['half a character', { title: '\ud83d' }, 'invalid-field'],
      ['another field', { title: 'Cats', pinned: true }, 'invalid-field'],
    ])('is 422 for %s', async (_case, body, code) => {
      const { app } = appWith(['1'])
      await say(app, 'Hi')
      await expectProblem(
        await app.request('/api/v1/sessions/first', json('PATCH', { user_id: 'ada', ...body })),
        422,
        code,
      )
    })

    it('accepts 200 characters', async () => {
      const { app } = appWith(['1'])
      await say(app, 'Hi')
      const title = '🐈'.repeat(200)
      expect((await app.request('/api/v1/sessions/first', json('PATCH', { user_id: 'ada', title }))).status).toBe(200)
    })

    it('takes the user from the body, and JSON only', async () => {
      const { app } = appWith(['1'])
      await say(app, 'Hi')
      const without = await app.request('/api/v1/sessions/first?user_id=ada', json('PATCH', { title: 'Cats' }))
      await expectProblem(without, 422, 'missing-field')
      const form = { method: 'PATCH', body: '{"title":"a"}', headers: { 'content-type': 'text/plain' } }
      await expectProblem(await app.request('/api/v1/sessions/first', form), 415, 'unsupported-media-type')
    })
  })

  describe('DELETE /api/v1/sessions/{session_id}', () => {
    it('leaves nothing of the session, and nothing else out', async () => {
      const { app, sessions } = appWith(['1', '2'])
      const response = await say(app, 'Hi', { session_id: 'a' })
      await say(app, 'Hi', { session_id: 'b' })
      const runId = response.headers.get('x-run-id') ?? ''
      const deleted = await remove(app, 'a')
      expect([deleted.status, await deleted.text()]).toEqual([204, ''])
      expect(await sessions.find(runId)).toBeUndefined()
      expect(Object.keys(await read(app, '/api/v1/all_chats?user_id=ada'))).toEqual(['b'])
      await expectProblem(await remove(app, 'a'), 404, 'not-found')
    })

    it('ends a run of the session first, and those that wait behind it', async () => {
      let asked = 0
      const hang = (_request: unknown, signal: AbortSignal): Promise<ScriptedTurn> =>
        new Promise((_, reject) => {
          asked++
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      const { app } = appWith([hang, hang])
      const [first, second] = [say(app, 'One?'), say(app, 'Two?')]
      await until(() => asked === 1)
      expect((await remove(app, 'first')).status).toBe(204)
      await expectProblem(await first, 503, 'aborted')
      await expectProblem(await second, 503, 'aborted')
      expect(await read(app, '/api/v1/sessions?user_id=ada')).toEqual({ sessions: [], next: null })
    })

    it('ends a run that ignores its signal within seconds', async () => {
      const late = Promise.withResolvers<string>()
      let asked = false
      const { app } = appWith([
        () => {
          asked = true
          return late.promise
        },
      ])
      const answer = say(app, 'One?')
      await until(() => asked)
      expect((await remove(app, 'first')).status).toBe(204)
      late.resolve('Late.')
      expect((await answer).status).toBe(503)
      expect(await read(app, '/api/v1/sessions?user_id=ada')).toEqual({ sessions: [], next: null })
    })
  })

  it.each(['a/b', 'a b.c', '..a', 'ünï/ćødé 🐈', 'a%2Fb', '50%', '__proto__', '?q#f', '+'])(
    'reaches the session %j by its path',
    async (id) => {
      const { app } = appWith(['1', '2'])
      await say(app, 'Hi', { session_id: id })
      await say(app, 'Hi', { session_id: 'other' })
      const path = `/api/v1/sessions/${encodeURIComponent(id)}`
      const renamed = await app.request(path, json('PATCH', { user_id: 'ada', title: 'Cats' }))
      expect(await renamed.json()).toMatchObject({ session_id: id, title: 'Cats' })
      expect((await app.request(`${path}?user_id=ada`, { method: 'DELETE' })).status).toBe(204)
      expect(Object.keys(await read(app, '/api/v1/all_chats?user_id=ada'))).toEqual(['other'])
    },
  )

  it.each(['unknown', '%00', 'a%0ab', 'x'.repeat(129), '%ff', '%zz', '%ed%a0%80'])(
    'is 404 for the path %s',
    async (id) => {
      const { app } = appWith(['1'])
      await say(app, 'Hi')
      await expectProblem(await remove(app, id), 404, 'not-found')
      const patched = await app.request(`/api/v1/sessions/${id}`, json('PATCH', { user_id: 'ada', title: 'x' }))
      await expectProblem(patched, 404, 'not-found')
    },
  )

  it('keeps ("a", "b_c") and ("a_b", "c") apart', async () => {
    const { app } = appWith(['one', 'two'])
    await say(app, '1', { user_id: 'a', session_id: 'b_c' })
    await say(app, '2', { user_id: 'a_b', session_id: 'c' })
    expect(await read(app, '/api/v1/chat_history?user_id=a&session_id=b_c')).toHaveLength(2)
    await expectProblem(await app.request('/api/v1/chat_history?user_id=a&session_id=c'), 404, 'not-found')
  })

  it('is separate for agents that share a store', async () => {
    const sessions = makeStore()
    const model = scriptedModel(['one', 'two'])
    const [one, two] = ['One', 'Two'].map((name) =>
      createApp(new Agent({ name, functions: [], model, sessions }), quiet),
    )
    if (!one || !two) throw new Error('Two agents were made.')
    await say(one, 'Hi')
    expect(await read(two, '/api/v1/sessions?user_id=ada')).toEqual({ sessions: [], next: null })
    await expectProblem(await remove(two, 'first'), 404, 'not-found')
    expect(await messages(one)).toEqual(['Hi', 'one'])
  })

  describe('with tokens', () => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const request = (app: Hono, method: string, path: string, token: string) =>
      app.request(path, {
        method,
        headers: { ...bearer(token), 'content-type': 'application/json' },
        ...(method === 'PATCH' && { body: JSON.stringify({ title: 'Mine', ...userOf(path) }) }),
      })
    const userOf = (path: string) => {
      const user = /user_id=(\w+)/.exec(path)?.[1]
      return user === undefined ? {} : { user_id: user }
    }
    const routes: [method: string, path: string, success: number][] = [
      ['GET', '/api/v1/chat_history?session_id=first', 200],
      ['GET', '/api/v1/all_chats?limit=5', 200],
      ['GET', '/api/v1/sessions?limit=5', 200],
      ['PATCH', '/api/v1/sessions/first?', 200],
      ['DELETE', '/api/v1/sessions/first?', 204],
    ]

    it.each(routes)('%s %s serves the own user, and is 404 for another', async (method, path, success) => {
      const sessions = makeStore()
      const model = scriptedModel(['one'])
      const app = createApp(new Agent({ name: 'Notes', functions: [], model, sessions }), {
        ...quiet,
        auth: { tokens },
      })
      await app.request('/api/v1/chat', chatRequest(validFields, bearer('the-token-of-ada')))
      const as = (user: string, token: string) => request(app, method, `${path}${user}`, token)
      await expectProblem(await as('&user_id=ada', 'the-token-of-bob'), 404, 'not-found')
      await expectProblem(await as('', 'the-token-of-all'), 422, 'missing-field')
      const asBob = await as('', 'the-token-of-bob')
      if (path.startsWith('/api/v1/sessions?')) expect(await asBob.json()).toEqual({ sessions: [], next: null })
      else await expectProblem(asBob, 404, 'not-found')
      const token = method === 'DELETE' ? 'the-token-of-all' : 'the-token-of-ada'
      const own = await as(method === 'DELETE' ? '&user_id=ada' : '', token)
      expect(own.status).toBe(success)
    })
  })

  it('serves a swarm, and deletes the sessions of its members too', async () => {
    const sessions = makeStore()
    const delegate = { toolCalls: [{ name: 'writer', input: { task: 'Write.' } }] }
    const writer = new Agent({ name: 'Writer', functions: [], model: scriptedModel(['A poem.']) })
    const swarm = new Swarm({ name: 'Team', agents: [writer], model: scriptedModel([delegate, 'Done.']), sessions })
    const app = createApp(swarm, quiet)
    await say(app, 'A poem, please.')
    const member = { agentId: 'team/writer', userId: 'ada', sessionId: 'first' }
    expect(await sessions.turns(member)).toHaveLength(1)
    expect(await messages(app)).toEqual(['A poem, please.', 'Done.'])
    expect((await remove(app, 'first')).status).toBe(204)
    expect(await sessions.turns(member)).toEqual([])
  })
})

describe('deleting a conversation of stored runs', () => {
  const bill = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 'paid',
  })
  const storedApp = (turns: readonly ScriptedTurn[]) => {
    const sessions = sqliteSessions(':memory:')
    return createApp(new Agent({ name: 'Notes', functions: [bill], model: scriptedModel(turns), sessions }), quiet)
  }

  it('deletes a run that waits, with its approvals', async () => {
    const app = storedApp([{ toolCalls: [{ name: 'pay' }] }])
    const runId = (await say(app, 'Pay.')).headers.get('x-run-id')
    const run = `/api/v1/runs/${runId}?user_id=ada`
    expect(await read(app, run)).toMatchObject({ status: 'waiting', approvals: [{ name: 'pay' }] })
    expect((await remove(app, 'first')).status).toBe(204)
    await expectProblem(await app.request(run), 404, 'not-found')
    expect(await read(app, '/api/v1/runs?user_id=ada')).toMatchObject({ runs: [] })
  })

  it('deletes idempotent answers: the same key begins a new run', async () => {
    const app = storedApp(['One.', 'Two.'])
    const ask = () => app.request('/api/v1/chat', chatRequest(validFields, { 'idempotency-key': 'k' }))
    expect(await (await ask()).text()).toBe('One.')
    expect((await ask()).headers.get('idempotency-replayed')).toBe('true')
    expect((await remove(app, 'first')).status).toBe(204)
    const again = await ask()
    expect([await again.text(), again.headers.get('idempotency-replayed')]).toEqual(['Two.', null])
  })

  it('ends a resumable run whose client has left', async () => {
    let isAborted = false
    let isAsked = false
    const app = storedApp([
      (_request, signal) =>
        new Promise((_, reject) => {
          isAsked = true
          signal.addEventListener('abort', () => {
            isAborted = true
            reject(signal.reason)
          })
        }),
    ])
    const leaving = new AbortController()
    const request = { ...chatRequest({ ...validFields, resumable: 'true' }), signal: leaving.signal }
    void Promise.resolve(app.request('/api/v1/chat_stream', request)).catch(() => {})
    await until(() => isAsked)
    leaving.abort()
    expect((await remove(app, 'first')).status).toBe(204)
    await until(() => isAborted)
    expect(await read(app, '/api/v1/sessions?user_id=ada')).toEqual({ sessions: [], next: null })
  })
})

it('ends a stored run that did not begin over HTTP, such as one that was continued', async () => {
  const hang = (_request: unknown, signal: AbortSignal): Promise<ScriptedTurn> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const model = scriptedModel([hang])
  const agent = new Agent({ name: 'Notes', functions: [], model, sessions: sqliteSessions(':memory:') })
  const { result } = agent.stream('Hi', { userId: 'ada', sessionId: 'first' })
  await until(() => model.requests.length === 1)
  expect((await remove(createApp(agent, quiet), 'first')).status).toBe(204)
  expect((await result).finishReason).toBe('aborted')
})

it('is 503 when the store cannot be read, without its words', async () => {
  const sessions = memorySessions()
  const fail = async (): Promise<never> => {
    throw new AgentKitError('storage', 'disk I/O error in /var/secret.db')
  }
  Object.assign(sessions, { turns: fail, list: fail, rename: fail })
  const model = scriptedModel([])
  const app = createApp(new Agent({ name: 'Notes', functions: [], model, sessions }), quiet)
  for (const path of ['chat_history?session_id=a&', 'all_chats?', 'sessions?']) {
    const problem = await expectProblem(await app.request(`/api/v1/${path}user_id=ada`), 503, 'storage')
    expect(JSON.stringify(problem)).not.toContain('secret')
  }
  await expectProblem(await remove(app, 'a'), 503, 'storage')
})

const weather = tool({
  name: 'weather',
  description: 'The weather.',
  input: { type: 'object' },
  execute: () => ({ sky: 'clear' }),
})

/** Sends a message at a later time than the one before: the order of conversations is that of their times. */
async function say(app: Hono, content: string, fields: Record<string, string> = {}): Promise<Response> {
  const before = Date.now()
  await until(() => Date.now() > before)
  const chat_data = chatData({ role: 'user', content })
  return await app.request('/api/v1/chat', chatRequest({ ...validFields, ...fields, chat_data }))
}

async function read<Answer = object>(app: Hono, path: string): Promise<Answer> {
  const response = await app.request(path)
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

type Listed = { session_id: string; active_run_id: string | null }

async function list(app: Hono, query = ''): Promise<{ sessions: Listed[]; next: string | null }> {
  return await read(app, `/api/v1/sessions?user_id=ada${query}`)
}

async function messages(app: Hono): Promise<string[]> {
  const history = await read<{ message: string }[]>(app, '/api/v1/chat_history?user_id=ada&session_id=first')
  return history.map(({ message }) => message)
}

function json(method: string, body: object): RequestInit {
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

async function remove(app: Hono, id: string): Promise<Response> {
  return await app.request(`/api/v1/sessions/${id}?user_id=ada`, { method: 'DELETE' })
}
