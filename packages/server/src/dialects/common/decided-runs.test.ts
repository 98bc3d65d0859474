import { describe, expect, it } from 'vitest'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'

const make = storedAgents()
// A call of 10 and 5 tokens costs 0.00006 dollars.
const prices = { 'test/scripted': { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' } }

function post(path: string, body?: unknown): [string, RequestInit] {
  return [path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }]
}

const uiMessage = (text: string) => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text }] })

/** How the dialects that continue an answer send a question, and the decision on the approval of a run. */
const dialects: [string, { path: string; ask: object; approve(id: string): object; ended: RegExp; stopped: RegExp }][] =
  [
    [
      'ui',
      {
        path: '/ui/chat',
        ask: { id: 's1', messages: [uiMessage('Pay')] },
        approve: (id) => {
          const part = { type: 'dynamic-tool', state: 'approval-responded', approval: { id, approved: true } }
          return { id: 's1', messages: [uiMessage('Pay'), { id: 'm2', role: 'assistant', parts: [part] }] }
        },
        ended: /"type":"finish"/,
        stopped: /"type":"abort"/,
      },
    ],
    [
      'agui',
      {
        path: '/agui',
        ask: {
          threadId: 's1',
          runId: 'r1',
          messages: [{ id: 'm1', role: 'user', content: 'Pay' }],
          tools: [],
          context: [],
        },
        approve: (id) => {
          const resume = [{ interruptId: id, status: 'resolved', payload: { approve: true } }]
          return { threadId: 's1', runId: 'r2', messages: [], tools: [], context: [], resume }
        },
        ended: /"type":"RUN_FINISHED"/,
        stopped: /"type":"RUN_ERROR"/,
      },
    ],
  ]

describe.each(dialects)(
  'after a decision, the answer of the dialect %s',
  (_, { path, ask, approve, ended, stopped }) => {
    async function decided() {
      const { agent } = make([payTurn, 'Done.'])
      let free = (): void => {}
      const held = new Promise<void>((resolve) => {
        free = resolve
      })
      const { sessions } = agent
      const { load } = sessions
      const app = createApp(agent, { log: () => {}, dialects: ['ui', 'agui'] })
      await (await app.request(...post(path, ask))).text()
      const [run] = await agent.runs({ userId: 'default', status: 'waiting' })
      // The run does not get to its first event.
      sessions.load = async (...args) => {
        await held
        return load.apply(sessions, args)
      }
      const response = await app.request(...post(path, approve(`${run?.runId}/${run?.approvals[0]?.approvalId}`)))
      return { app, response, free }
    }

    it('has what the run has used where another approval is open', async () => {
      const both = { toolCalls: [1, 2].map((amount) => ({ name: 'pay', input: { amount } })) }
      const { agent } = make([both, 'Done.'], { prices })
      const app = createApp(agent, { log: () => {}, dialects: ['ui', 'agui'] })
      await (await app.request(...post(path, ask))).text()
      const [run] = await agent.runs({ userId: 'default', status: 'waiting' })
      const id = `${run?.runId}/${run?.approvals[0]?.approvalId}`
      const answer = await (await app.request(...post(path, approve(id)))).text()
      expect(answer).toMatch(/"totalTokens":15\D/)
      expect(answer).toMatch(/"cost":0.00006\D/)
    })

    it('begins before the run does', async () => {
      const { response, free } = await decided()
      expect(response.status).toBe(200)
      free()
      expect(await response.text()).toMatch(ended)
    })

    it('is a stream also where the run is stopped before its first event', async () => {
      const { app, response, free } = await decided()
      expect(response.status).toBe(200)
      expect((await app.request(...post('/ui/chat/s1/stop'))).status).toBe(204)
      free()
      expect(await response.text()).toMatch(stopped)
    })
  },
)

describe('a decision on one of two approvals, of a run that keeps its events', () => {
  async function waiting() {
    const pay = (amount: number) => ({ name: 'pay', input: { amount } })
    const { agent, paid } = make([{ toolCalls: [pay(1), pay(2)] }, 'Done.'])
    const app = createApp(agent, { log: () => {}, dialects: ['ui', 'agui', 'openai', 'a2a'] })
    await (await app.request(...post('/ui/chat', { id: 's1', resumable: true, messages: [uiMessage('Pay')] }))).text()
    const [run] = await agent.runs({ userId: 'default', status: 'waiting' })
    const { runId = '', approvals = [] } = run ?? {}
    return { app, agent, paid, runId, ids: approvals.map(({ approvalId }) => approvalId) }
  }

  const a2a = (method: string) => (runId: string, id: string) => {
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      taskId: runId,
      parts: [{ data: { approvals: { [id]: true } } }],
    }
    return { jsonrpc: '2.0', id: 1, method, params: { message } }
  }
  const response = (stream: boolean) => (runId: string, id: string) => {
    const item = { type: 'mcp_approval_response', approval_request_id: `${runId}/${id}`, approve: true }
    return { model: 'test', stream, input: [item], previous_response_id: `resp_${runId}` }
  }
  const referred = (name: string) => {
    const approve = dialects.find(([dialect]) => dialect === name)?.[1].approve
    return (runId: string, id: string) => approve?.(`${runId}/${id}`)
  }

  it.each(['ui', 'agui'])('is not stored with one on an approval of the name __proto__, by %s', async (name) => {
    const { app, agent, runId } = await waiting()
    const [at, init] = post(name === 'ui' ? '/ui/chat' : '/agui', referred(name)(runId, '__proto__'))
    expect((await app.request(at, init)).status).toBe(404)
    expect(await agent.runs({ status: 'waiting' })).toHaveLength(1)
  })

  it.each<[string, string, (runId: string, id: string) => unknown, RegExp]>([
    ['useChat', '/ui/chat', referred('ui'), /"type":"finish"/],
    ['AG-UI', '/agui', referred('agui'), /"type":"interrupt"/],
    ['Responses', '/v1/responses', response(false), /mcp_approval_request/],
    ['a stream of Responses', '/v1/responses', response(true), /response\.completed/],
    ['SendMessage of A2A', '/a2a', a2a('SendMessage'), /TASK_STATE_INPUT_REQUIRED/],
    ['SendStreamingMessage of A2A', '/a2a', a2a('SendStreamingMessage'), /TASK_STATE_INPUT_REQUIRED/],
  ])('is answered to %s while the other is open', async (_, path, decide, waits) => {
    const { app, agent, paid, runId, ids } = await waiting()
    const [first = '', second = ''] = ids
    const sent = (id: string) => {
      const [at, init] = post(path, decide(runId, id))
      return app.request(at, { ...init, headers: { ...init.headers, 'a2a-version': '1.0' } })
    }
    expect(await (await sent(first)).text()).toMatch(waits)
    expect(paid).toEqual([])
    await (await sent(second)).text()
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'stop', text: 'Done.' })
    expect(paid.toSorted()).toEqual([1, 2])
  })
})
