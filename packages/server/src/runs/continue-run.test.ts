import { afterEach, expect, it } from 'vitest'
import { until } from '../__fixtures__/requests.ts'
import { eventsIn, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { serve } from '../serve.ts'

const storedAgent = storedAgents()
const token = 'the-token-of-ada'
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

it('waits for a place of its user, and streams the run to the client that has decided', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { agent, model, paid } = storedAgent([payTurn, () => promise, 'Paid.'])
  const options = { port: 0, log: () => {}, auth: { tokens: { [token]: 'ada' } }, limits: { userRuns: 1 } }
  const { url, close } = await serve(agent, options)
  closers.push(close)
  const post = (path: string, body: object, accept: string): Promise<Response> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, accept }
    return fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const chat = (session_id: string): Promise<Response> =>
    post('chat', { session_id, messages: [{ role: 'user', content: 'Hi' }] }, 'application/json')
  const { run_id, approvals } = await (await chat('waits')).json()
  const busy = chat('busy')
  await until(() => model.requests.length === 2)
  const path = `runs/${run_id}/approvals/${approvals[0].approval_id}`
  const decided = post(path, { approve: true }, 'text/event-stream')
  let status: string | undefined
  await until(() => {
    void agent.sessions.runs?.read(run_id).then((stored) => {
      status = stored?.record.status
    })
    return status === 'running'
  })
  // The search for free runs begins when the last approval of one is decided.
  await new Promise((later) => setTimeout(later, 300))
  expect(paid).toEqual([])
  resolve('Done.')
  expect((await busy).status).toBe(200)
  expect(eventsIn(await (await decided).text()).at(-1)?.data).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
  expect(paid).toEqual([5])
})
