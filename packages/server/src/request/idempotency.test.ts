import { AgentKitError, memorySessions, type RunStore } from '@agentkit/core'
import type { ScriptedTurn } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { chatData, expectProblem, until, validFields } from '../__fixtures__/requests.ts'
import { ask, heldTool, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'
import { serve } from '../serve.ts'
import type { LogEntry } from '../util/log.ts'

const storedAgent = storedAgents()
const quiet = { log: () => {} }
const path = '/api/v1/chat'

/** A question with a key. */
function keyed(
  content: string,
  key = 'key-1',
  fields: Record<string, string> = {},
  accept = 'text/plain',
): RequestInit {
  return ask(content, fields, { 'idempotency-key': key, accept })
}

/** The same fields in another multipart body: other boundary, other order. */
function otherForm(content: string, key: string): RequestInit {
  const form = new FormData()
  form.set('chat_data', chatData({ role: 'user', content }))
  form.set('session_id', validFields.session_id ?? '')
  form.set('user_id', validFields.user_id ?? '')
  return { method: 'POST', body: form, headers: { 'idempotency-key': key } }
}

describe('a chat with an Idempotency-Key', () => {
  it.each(['text/plain', 'application/json'])('answers once, and replays its answer (%s)', async (accept) => {
    const { agent, model } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    const [first, second] = [
      await app.request(path, keyed('Hi', 'a', {}, accept)),
      await app.request(path, keyed('Hi', 'a', {}, accept)),
    ]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await second.text()).toBe(await first.text())
    for (const header of ['content-type', 'x-run-id'])
      expect(second.headers.get(header)).toBe(first.headers.get(header))
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(model.requests).toHaveLength(1)
  })

  it('is 410 for a stream whose events are no longer kept', async () => {
    const { agent, sessions, model } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    const first = await app.request(path, keyed('Hi', 'a', {}, 'text/event-stream'))
    expect(await first.text()).toContain('"text":"One."')
    const runId = first.headers.get('x-run-id') ?? ''
    // Repeats until the run has ended, and a millisecond has passed since.
    while (await sessions.runs?.eventRange(runId)) await sessions.runs?.prune({ eventsMs: 1 })
    const again = await app.request(path, keyed('Hi', 'a', {}, 'text/event-stream'))
    await expectProblem(again, 410, 'stream-expired')
    expect(model.requests).toHaveLength(1)
  })

  it('is the same for any boundary and any order of its fields', async () => {
    const { agent, model } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    await app.request(path, keyed('Hi', 'a'))
    const again = await app.request(path, otherForm('Hi', 'a'))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(model.requests).toHaveLength(1)
  })

  it('is the same for any order of the keys of its JSON', async () => {
    const { agent, model } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    const messages = '[{"role":"user","content":"Hi"}]'
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'a' }
    const bodies = [
      `{"user_id":"ada","session_id":"first","messages":${messages}}`,
      `{"messages":${messages}, "session_id":"first","user_id":"ada"}`,
    ]
    for (const body of bodies) await app.request(path, { method: 'POST', body, headers })
    expect(model.requests).toHaveLength(1)
  })

  it('refuses the key for another body', async () => {
    const { agent, model } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    await app.request(path, keyed('Hi', 'a'))
    await expectProblem(await app.request(path, keyed('Bye', 'a')), 422, 'idempotency-key-reused')
    await expectProblem(
      await app.request(path, keyed('Hi', 'a', { session_id: 'second' })),
      422,
      'idempotency-key-reused',
    )
    expect(model.requests).toHaveLength(1)
  })

  it('has a scope of user, method and path', async () => {
    const { agent, model } = storedAgent(['One.', 'Two.', 'Three.'])
    const app = createApp(agent, quiet)
    await app.request(path, keyed('Hi', 'a'))
    await app.request(path, keyed('Hi', 'a', { user_id: 'eve' }))
    await app.request('/api/v1/chat_stream', keyed('Hi', 'a'))
    await app.request(`${path}/`, keyed('Hi', 'a'))
    expect(model.requests).toHaveLength(3)
  })

  it('is 409 with Retry-After while the first is handled', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model } = storedAgent([() => promise])
    const app = createApp(agent, quiet)
    const first = app.request(path, keyed('Hi', 'a'))
    await until(() => model.requests.length > 0)
    const second = await app.request(path, keyed('Hi', 'a'))
    expect(second.headers.get('retry-after')).toBe('1')
    await expectProblem(second, 409, 'session-busy')
    resolve('One.')
    expect(await (await first).text()).toBe('One.')
    const third = await app.request(path, keyed('Hi', 'a'))
    expect([await third.text(), third.headers.get('idempotency-replayed')]).toEqual(['One.', 'true'])
  })

  it('replays the failure of a run', async () => {
    const { agent, model } = storedAgent([new Error('boom'), 'Fine.'])
    const app = createApp(agent, quiet)
    const first = await expectProblem(await app.request(path, keyed('Hi', 'a')), 502, 'provider-error')
    const second = await app.request(path, keyed('Hi', 'a'))
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect([second.status, await second.json()]).toEqual([502, first])
    expect(second.headers.get('content-type')).toBe('application/problem+json')
    expect(model.requests).toHaveLength(1)
  })

  it('keeps no answer of a run that could not begin', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model } = storedAgent([() => promise, 'Two.'], { onBusy: 'reject' })
    const app = createApp(agent, quiet)
    const busy = app.request(path, ask('Hi'))
    await until(() => model.requests.length > 0)
    await expectProblem(await app.request(path, keyed('Hi', 'a')), 409, 'session-busy')
    resolve('One.')
    await busy
    const again = await app.request(path, keyed('Hi', 'a'))
    expect([await again.text(), again.headers.get('idempotency-replayed')]).toEqual(['Two.', null])
  })

  it('keeps no answer of a server that is full', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model } = storedAgent([() => promise, 'Two.'])
    const app = createApp(agent, { ...quiet, limits: { runs: 1, queuedRuns: 0 } })
    const busy = app.request(path, ask('Hi'))
    await until(() => model.requests.length > 0)
    await expectProblem(await app.request(path, keyed('Hi', 'a')), 503, 'overloaded')
    resolve('One.')
    await busy
    expect(await (await app.request(path, keyed('Hi', 'a'))).text()).toBe('Two.')
  })

  it('continues when its client leaves, and has its answer then', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model } = storedAgent([() => promise])
    const app = createApp(agent, quiet)
    const controller = new AbortController()
    const first = Promise.resolve(app.request(path, { ...keyed('Hi', 'a'), signal: controller.signal }))
    await until(() => model.requests.length > 0)
    controller.abort()
    resolve('One.')
    await first.catch(() => {})
    const again = await app.request(path, keyed('Hi', 'a'))
    expect([await again.text(), again.headers.get('idempotency-replayed')]).toEqual(['One.', 'true'])
  })

  it('is replayed by another process', async () => {
    const { agent, path: file } = storedAgent(['One.'])
    const answer = await createApp(agent, quiet).request(path, keyed('Hi', 'a', {}, 'application/json'))
    const { agent: other, model } = storedAgent(['Two.'], { path: file })
    const again = await createApp(other, quiet).request(path, keyed('Hi', 'a', {}, 'application/json'))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.json()).toEqual(await answer.json())
    expect(model.requests).toHaveLength(0)
  })

  it('is answered by the next server where the first one has handed its run over', async () => {
    const { wait, begun, release } = heldTool()
    const functions = [wait]
    const first = storedAgent([{ toolCalls: [{ name: 'wait' }] }], { functions })
    const draining = await serve(first.agent, { ...quiet, port: 0, limits: { drainMs: 30_000 } })
    const request = keyed('Hi', 'a', { resumable: 'true' }, 'application/json')
    const refused = fetch(`${draining.url}${path}`, request)
    await begun
    const closed = draining.close()
    release()
    expect((await refused).status).toBe(503)
    await closed
    const { agent, model } = storedAgent(['Done.'], { functions, path: first.path })
    const next = await serve(agent, { ...quiet, port: 0 })
    await until(() => model.requests.length > 0)
    const send = () => fetch(`${next.url}${path}`, request)
    await expect.poll(async () => (await send()).status).toBe(200)
    expect(await (await send()).json()).toMatchObject({ answer: 'Done.' })
    expect(model.requests).toHaveLength(1)
    await next.close()
  })

  it.each<[string, ScriptedTurn, string]>([
    ['a text', 'One.', 'text/plain'],
    ['JSON', 'One.', 'application/json'],
    ['a run that waits', payTurn, 'application/json'],
    ['a failure', new Error('boom'), 'application/json'],
  ])('is read from the run where it could not be stored: %s', async (_name, turn, accept) => {
    const { agent, model, sessions } = storedAgent([turn])
    const answers = sessions.runs?.answers
    const store = answers?.store
    Object.assign(answers ?? {}, {
      store: async (...[request, answer]: Parameters<NonNullable<typeof store>>) => {
        if (answer.status !== undefined) throw new Error('disk full')
        await store?.(request, answer)
      },
    })
    const logged: LogEntry[] = []
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    const first = await app.request(path, keyed('Hi', 'a', {}, accept))
    const second = await app.request(path, keyed('Hi', 'a', {}, accept))
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(withoutRequest([second.status, await second.text()])).toEqual(
      withoutRequest([first.status, await first.text()]),
    )
    expect(model.requests).toHaveLength(1)
    expect(JSON.stringify(logged)).toContain('could not be stored')
  })

  it('leaves no key reserved when neither its run nor its end could be stored', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { agent, sessions } = storedAgent(['One.'])
    const { runs } = sessions
    const fail = async (): Promise<never> => {
      throw new AgentKitError('storage', 'The disk is full.')
    }
    const full = [vi.spyOn(runs as RunStore, 'create'), vi.spyOn((runs as RunStore).answers, 'forget')]
    for (const write of full) write.mockImplementation(fail)
    const app = createApp(agent, quiet)
    expect((await app.request(path, keyed('Hi'))).status).toBe(503)
    for (const write of full) write.mockRestore()
    expect((await app.request(path, keyed('Hi'))).status).toBe(409)
    await vi.advanceTimersByTimeAsync(1_000)
    vi.useRealTimers()
    const response = await app.request(path, keyed('Hi'))
    expect([response.status, await response.text()]).toEqual([200, 'One.'])
  })

  it('goes with its session', async () => {
    const { agent, model, sessions } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    await app.request(path, keyed('Hi', 'a'))
    await sessions.delete({ agentId: 'test', userId: 'ada', sessionId: 'first' })
    expect(await (await app.request(path, keyed('Hi', 'a'))).text()).toBe('Two.')
    expect(model.requests).toHaveLength(2)
  })

  it.each(['text/plain', 'application/json', 'text/event-stream'])(
    'keeps no answer of a question that a hook blocks: nothing of it is stored (%s)',
    async (accept) => {
      const { agent, sessions } = storedAgent(['One.'], { hooks: { input: () => ({ block: 'Not here.' }) } })
      const reserve = vi.spyOn(sessions.runs?.answers ?? expect.fail(), 'reserve')
      const app = createApp(agent, quiet)
      for (const _ of [1, 2]) {
        const response = await app.request(path, keyed('Hi', 'a', {}, accept))
        expect(await response.text()).toContain('Not here.')
        expect(response.headers.get('idempotency-replayed')).toBeNull()
      }
      await vi.waitFor(async () => {
        for (const [request] of reserve.mock.calls.slice(0, 1)) {
          expect(await sessions.runs?.answers.reserve(request)).toBeUndefined()
        }
      })
    },
  )

  it('keeps the answer of a run that waits, when the run has continued', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, quiet)
    const first = await app.request(path, keyed('Pay', 'a', {}, 'application/json'))
    const body = await first.json()
    expect(body).toMatchObject({ finish_reason: 'approval' })
    await agent.resume(body.run_id, { [body.approvals[0].approval_id]: true }).result
    expect(paid).toEqual([5])
    expect(await (await app.request(path, keyed('Pay', 'a', {}, 'application/json'))).json()).toEqual(body)
  })

  it('keeps the answer of a run that waits and is decided before the answer is stored', async () => {
    const { promise: last, resolve: answer } = Promise.withResolvers<ScriptedTurn>()
    const { agent, sessions } = storedAgent([payTurn, () => last])
    const runs = sessions.runs as RunStore
    const { read } = runs
    const resumed: Promise<unknown>[] = []
    vi.spyOn(runs, 'read').mockImplementation(async (runId) => {
      const stored = await read(runId)
      const [approval] = stored?.record.approvals ?? []
      if (!approval || resumed.length > 0) return stored
      resumed.push(agent.resume(runId, { [approval.approvalId]: true }).result)
      await vi.waitUntil(async () => (await read(runId))?.record.status === 'running')
      return read(runId)
    })
    const app = createApp(agent, quiet)
    const first = await app.request(path, keyed('Pay', 'a', {}, 'application/json'))
    const body = await first.json()
    expect(body).toMatchObject({ finish_reason: 'approval' })
    const again = await app.request(path, keyed('Pay', 'a', {}, 'application/json'))
    expect([again.status, await again.json()]).toEqual([200, body])
    answer('Paid.')
    await Promise.all(resumed)
  })
})

/** The id of the request differs. */
function withoutRequest(values: unknown[]): unknown[] {
  return values.map((value) => String(value).replace(/"request_id":"[^"]*"/, ''))
}

describe('an Idempotency-Key', () => {
  it.each([
    ['is empty', ''],
    ['has 256 characters', 'k'.repeat(256)],
    ['has a space', 'a b'],
    ['has a character that is not ASCII', 'é'],
  ])('that %s is refused by each POST, before its body is read', async (_name, key) => {
    const { agent, model } = storedAgent(['One.'])
    const app = createApp(agent, quiet)
    const { paths } = await (await app.request('/openapi.json')).json()
    const posts = Object.entries<object>(paths).filter(([each, of]) => each.startsWith('/api/v1/') && 'post' in of)
    expect(posts.length).toBeGreaterThanOrEqual(5)
    for (const [each] of posts) {
      const request = { method: 'POST', body: 'none', headers: { 'idempotency-key': key } }
      await expectProblem(await app.request(each.replaceAll(/\{\w+\}/g, 'x'), request), 422, 'invalid-field')
    }
    expect(model.requests).toHaveLength(0)
  })

  it('of a dialect has no meaning', async () => {
    const { agent } = storedAgent([])
    const request = { method: 'POST', headers: { 'idempotency-key': 'a b' } }
    const response = await createApp(agent, quiet).request('/ui/chat/x/stop', request)
    expect(response.status).toBe(204)
  })

  it('may have 255 visible characters', async () => {
    const { agent } = storedAgent(['One.'])
    const response = await createApp(agent, quiet).request(path, keyed('Hi', '~'.repeat(255)))
    expect(response.status).toBe(200)
  })

  it('is 400 where the sessions keep no runs', async () => {
    const { agent } = storedAgent([], { sessions: memorySessions() })
    await expectProblem(await createApp(agent, quiet).request(path, keyed('Hi')), 400, 'unsupported')
  })

  it.each([{}, { 'idempotency-key': 'a' }])(
    'does not change the status of an error of the store (%j)',
    async (headers) => {
      const { agent, sessions } = storedAgent([])
      const app = createApp(agent, quiet)
      const failure = new AgentKitError('storage', 'The store does not answer.')
      vi.spyOn(sessions.runs as RunStore, 'read').mockRejectedValue(failure)
      const request = {
        method: 'POST',
        body: '{"user_id":"ada","approve":true}',
        headers: { 'content-type': 'application/json', ...headers },
      }
      await expectProblem(await app.request('/api/v1/runs/r/approvals/a', request), 503, 'storage')
    },
  )

  it('of a decision replays the run as it was then', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, quiet)
    const { run_id, approvals } = await (await app.request(path, ask('Pay', {}, { accept: 'application/json' }))).json()
    const decide = () =>
      app.request(`/api/v1/runs/${run_id}/approvals/${approvals[0].approval_id}`, {
        method: 'POST',
        body: '{"user_id":"ada","approve":true}',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'a' },
      })
    const [first, second] = [await decide(), await decide()]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await second.text()).toBe(await first.text())
    await until(() => paid.length > 0)
    expect(paid).toEqual([5])
  })

  it('of a decision and of a cancel goes with the session of their run', async () => {
    const { agent, sessions } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { run_id, approvals } = await (await app.request(path, ask('Pay', {}, { accept: 'application/json' }))).json()
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'a' }
    const cancel = () => app.request(`/api/v1/runs/${run_id}/cancel?user_id=ada`, { method: 'POST', headers })
    const decide = () =>
      app.request(`/api/v1/runs/${run_id}/approvals/${approvals[0].approval_id}`, {
        ...{ method: 'POST', headers },
        body: '{"user_id":"ada","approve":false}',
      })
    const sent = [await decide(), await cancel()]
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    await sessions.delete({ agentId: 'test', userId: 'ada', sessionId: 'first' })
    for (const response of [await decide(), await cancel()]) await expectProblem(response, 404, 'not-found')
  })
})
