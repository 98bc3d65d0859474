import { describe, expect, it } from 'vitest'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'

const make = storedAgents()

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
