import { expect, it } from 'vitest'
import { ask, eventsIn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const open = storedAgents()
const hooks = { input: () => ({ block: 'Keep passwords to yourself.' }) }
const json = { 'content-type': 'application/json' }

// Nothing of such a run is stored, so there are no events to follow.
it('answers a question that a hook blocks by the same events, whether the run is resumable or not', async () => {
  const app = createApp(open([], { hooks }).agent)
  const eventsOf = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await app.request('/api/v1/chat_stream', ask('Hi', fields, headers))
    expect(response.status).toBe(200)
    return eventsIn(await response.text()).map(({ id, type, data: { runId: _, ...data } }) => ({ ...data, id, type }))
  }
  const events = await eventsOf({})
  expect(events.map(({ type }) => type)).toEqual(['run-start', 'text-delta', 'run-end'])
  expect(events.at(-1)).toMatchObject({ finishReason: 'content-filter', text: 'Keep passwords to yourself.' })
  expect(await eventsOf({ resumable: 'true' })).toEqual(events)
  expect(await eventsOf({}, { 'idempotency-key': 'k1' })).toEqual(events)
})

it('shows it to clients of other protocols', async () => {
  const app = createApp(open([], { hooks }).agent, { dialects: ['ui', 'a2a'] })
  const post = async (path: string, body: object, headers = {}) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } }
    return (await app.request(path, init)).text()
  }
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
  const page = await post('/ui/chat', { id: 'first', messages: [message], resumable: true })
  expect(page).toContain('"delta":"Keep passwords to yourself."')
  expect(page).toContain('"finishReason":"content-filter"')

  const params = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] } }
  const call = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params }
  const task = await post('/a2a', call, { 'a2a-version': '1.0' })
  expect(task).toContain('Keep passwords to yourself.')
  expect(task).toContain('TASK_STATE_COMPLETED')
})
