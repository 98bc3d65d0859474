import { memorySessions } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { expectHealthy } from '../../__fixtures__/requests.ts'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'

const make = storedAgents()
const quiet = { log: () => {} }
const user = (text: unknown) => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text }] })
const file = (url: unknown) => ({ id: 'm1', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url }] })
const answered = (approval: unknown) => ({
  ...{ id: 'm2', role: 'assistant' },
  parts: [{ type: 'dynamic-tool', state: 'approval-responded', approval }],
})

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
}

describe('POST /ui/chat', () => {
  it.each([
    ['no session', { messages: [user('Hi')] }, 'Required: id.'],
    ['no messages', { id: 's1', messages: [] }, 'The field messages must not be empty.'],
    ['messages that are not a list', { id: 's1', messages: 'Hi' }, 'The field messages must be'],
    ['an empty text', { id: 's1', messages: [user(' ')] }, 'must have a text or a file'],
    ['no parts', { id: 's1', messages: [{ role: 'user', parts: [] }] }, 'must have a text or a file'],
    ['a text that is none', { id: 's1', messages: [user(7)] }, 'messages.0.parts.0.text must be a string'],
    ['a part that is none', { id: 's1', messages: [{ role: 'user', parts: [null] }] }, 'must be an object'],
    ['an address of a file', { id: 's1', messages: [file('https://example.com/a.png')] }, 'must be a data URL'],
    ['a data URL that is not base64', { id: 's1', messages: [file('data:image/png,hi')] }, 'must be a data URL'],
    ['an empty file', { id: 's1', messages: [file('data:text/plain;base64,')] }, 'messages.0.parts.0.url must be'],
    ['a system message at the end', { id: 's1', messages: [{ ...user('Hi'), role: 'system' }] }, 'must be "user"'],
    [
      'an answer without decisions',
      { id: 's1', messages: [{ role: 'assistant', parts: [] }] },
      'must be "user", unless',
    ],
    ['an approval of another server', { id: 's1', messages: [answered({ id: 'x', approved: true })] }, 'approval.id'],
    ['no decision', { id: 's1', messages: [answered({ id: 'run_1/apr_1' })] }, 'approved must be true or false'],
    ['an unknown trigger', { id: 's1', messages: [user('Hi')], trigger: 'resume' }, 'trigger must be'],
    ['a body that is not an object', 'Hi', 'The request has an invalid form.'],
  ])('with %s is 422, in one sentence', async (_, body, sentence) => {
    const app = createApp(fakeAgent(), quiet)
    const response = await app.request('/ui/chat', post(body))
    expect(response.status).toBe(422)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toContain(sentence)
    await expectHealthy(app)
  })

  it('leaves out the texts of earlier messages that are none', async () => {
    const agent = fakeAgent()
    const earlier = { id: 'm0', role: 'assistant', parts: [{ type: 'text', text: { toString: 1 } }] }
    const response = await createApp(agent, quiet).request(
      '/ui/chat',
      post({ id: 's1', messages: [earlier, user('Hi')] }),
    )
    expect(response.status).toBe(200)
    expect(agent.calls[0]?.options.history).toEqual([])
  })

  it('gives the model system messages of the page as marked text before the question', async () => {
    const agent = fakeAgent()
    const app = createApp(agent, quiet)
    const system = { id: 'm0', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] }
    await app.request('/ui/chat', post({ id: 's1', messages: [system, user('Hi')] }))
    expect(agent.calls[0]).toMatchObject({ input: '[system]\nBe brief.\n\nHi', options: { history: [] } })
    await app.request('/ui/chat', post({ id: 's2', messages: [system, file('data:image/png;base64,iVBORw0KGgo=')] }))
    expect(agent.calls[1]?.input).toMatchObject([{ type: 'text', text: '[system]\nBe brief.\n\n' }, { type: 'image' }])
    const answered = [system, user('Hi'), { ...user('Hello.'), role: 'assistant' }]
    const later = { ...system, parts: [{ type: 'text', text: 'In verse.' }] }
    await app.request('/ui/chat', post({ id: 's1', messages: [...answered, user('And?')] }))
    await app.request('/ui/chat', post({ id: 's1', messages: [...answered, later, user('And?')] }))
    expect(agent.calls.slice(2).map(({ input }) => input)).toEqual(['And?', '[system]\nIn verse.\n\nAnd?'])
  })

  it('answers for the user of X-User-Id, and for "default" without it', async () => {
    const agent = fakeAgent()
    const app = createApp(agent, quiet)
    const body = { id: 's1', messages: [user('Hi')] }
    expect((await app.request('/ui/chat', post(body))).headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    await app.request('/ui/chat', post(body, { 'x-user-id': 'ann' }))
    expect((await app.request('/ui/chat', post(body, { 'x-user-id': 'a'.repeat(129) }))).status).toBe(422)
    expect(agent.calls.map(({ options }) => options.userId)).toEqual(['default', 'ann'])
  })

  it.each(['.', '..'])('refuses the session %s, whose stream and stop no path could name', async (id) => {
    const response = await createApp(fakeAgent(), quiet).request('/ui/chat', post({ id, messages: [user('Hi')] }))
    expect(response.status).toBe(422)
  })

  it('refuses the decision of another user, and one that was made already', async () => {
    const { agent } = make([payTurn, 'Done.'])
    const app = createApp(agent, quiet)
    await (await app.request('/ui/chat', post({ id: 's1', messages: [user('Pay')] }))).text()
    const [run] = await agent.runs({ userId: 'default', status: 'waiting' })
    const id = `${run?.runId}/${run?.approvals[0]?.approvalId}`
    const body = { id: 's1', messages: [user('Pay'), answered({ id, approved: true })] }
    expect((await app.request('/ui/chat', post(body, { 'x-user-id': 'eve' }))).status).toBe(404)
    expect((await app.request('/ui/chat', post({ ...body, id: 's2' }))).status).toBe(404)
    const service = createApp(agent, { ...quiet, approvals: 'service', auth: async () => ({ userId: 'default' }) })
    const token = { authorization: 'Bearer any' }
    expect((await service.request('/ui/chat', post(body, token))).status).toBe(403)
    expect(await (await app.request('/ui/chat', post(body))).text()).toContain('"type":"finish"')
    const again = await app.request('/ui/chat', post(body))
    expect(again.status).toBe(409)
    // Clients of OpenAI send a request again after 409, unless a header forbids it.
    expect(again.headers.get('x-should-retry')).toBe('false')
    expect(await again.text()).toMatch(/approved.*\d{4}-\d\d-\d\dT/)
  })

  it.each([['msg_of_the_page'], [''], [undefined]])(
    'hides no turn for a trigger that it does not know the place of, after the message %s',
    async (id) => {
      const { agent } = make(['One.', 'Two.'])
      const app = createApp(agent, quiet)
      const send = (more: object): Promise<string> =>
        Promise.resolve(app.request('/ui/chat', post({ id: 's1', ...more }))).then((response) => response.text())
      await send({ messages: [user('Hi')] })
      const foreign = { id, role: 'assistant', parts: [{ type: 'text', text: 'One.' }] }
      await send({ messages: [user('Hi'), foreign, { ...user('Go on'), id: 'm3' }], trigger: 'regenerate-message' })
      const runs = await agent.runs({ userId: 'default', sessionId: 's1' })
      expect(runs.some(({ replaced }) => replaced)).toBe(false)
    },
  )

  it.each(['SQLite', 'memory'])(
    'takes the id of a run of another session as one that it does not know, in %s',
    async (store) => {
      const sessions = store === 'memory' ? { sessions: memorySessions() } : {}
      const { agent } = make(['Secret.', 'Copied.', 'One.', 'Two.', 'Two again.'], sessions)
      const app = createApp(agent, quiet)
      const asEve = { 'x-user-id': 'eve' }
      const send = async (body: object, headers: Record<string, string> = asEve): Promise<string> => {
        const answer = await (await app.request('/ui/chat', post(body, headers))).text()
        return /"messageId":"([^"]+)"/.exec(answer)?.[1] ?? ''
      }
      const ofAda = await send({ id: 's1', messages: [user('Hi')] }, { 'x-user-id': 'ada' })
      const copied = await send({ id: 's2', messages: [user('Hi')] })
      const one = await send({ id: 's1', messages: [user('Hi')] })
      await send({ id: 's1', messages: [user('More')] })
      const answers = [one, copied, ofAda].map((id) => ({
        id,
        role: 'assistant',
        parts: [{ type: 'text', text: 'One.' }],
      }))
      await send({ id: 's1', messages: [user('Hi'), ...answers, user('More')], trigger: 'regenerate-message' })
      const turns = await agent.sessions.turns({ agentId: agent.id, userId: 'eve', sessionId: 's1' })
      expect(turns.map(({ status }) => status)).toEqual(['done', 'replaced', 'done'])
    },
  )

  it('is 404 where the dialect is not served', async () => {
    const app = createApp(fakeAgent(), { ...quiet, dialects: ['openai'] })
    expect((await app.request('/ui/chat', post({ id: 's1', messages: [user('Hi')] }))).status).toBe(404)
  })

  it('is described in /openapi.json', async () => {
    const document = (await (await createApp(fakeAgent(), quiet).request('/openapi.json')).json()) as { paths: object }
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/ui/chat', '/ui/chat/{id}/stream']))
  })
})

describe('GET /ui/chat/{id}/stream', () => {
  it('is 204 for a run that ends while it is looked for', async () => {
    const { agent } = make([payTurn, 'Done.'])
    const app = createApp(agent, quiet)
    await (await app.request('/ui/chat', post({ id: 's1', messages: [user('Hi')], resumable: true }))).text()
    const [ended] = await agent.runs({ userId: 'default' })
    if (!ended) throw new Error('There is no run.')
    agent.runs = async () => [{ ...ended, status: 'running' }]
    expect((await app.request('/ui/chat/s1/stream')).status).toBe(204)
  })
})
