import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { expectProblem } from '../__fixtures__/requests.ts'
import { ask, heldTool } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const other = { session_id: 'other' }

function busyApp() {
  const { wait, begun, release } = heldTool()
  const model = scriptedModel(['One.', { toolCalls: [{ name: 'wait' }] }, 'Done.', 'Late.'])
  const agent = new Agent({ name: 'Test', functions: [wait], model })
  const app = createApp(agent, { log: () => {}, metrics: true, limits: { runs: 1 } })
  const oneWaits = async (): Promise<void> => {
    let metrics = ''
    while (!/^agentkit_places_waited_for 1$/m.test(metrics)) {
      await new Promise(setImmediate)
      metrics = await (await app.request('/metrics')).text()
    }
  }
  return { app, model, begun, release, oneWaits }
}

it.each([
  ['a chat', '/api/v1/chat', 'first'],
  ['a stream', '/api/v1/chat_stream', 'first'],
  ['the first chat of its session', '/api/v1/chat', 'new'],
])(
  'deletes a session for which %s waits for a place: the chat does not begin it again',
  async (_, path, session_id) => {
    const { app, model, begun, release, oneWaits } = busyApp()
    expect((await app.request('/api/v1/chat', ask('Hi'))).status).toBe(200)
    const held = app.request('/api/v1/chat', ask('Wait', other))
    await begun
    const inLine = app.request(path, ask('Hi again', { session_id }))
    await oneWaits()
    const deleted = await app.request(`/api/v1/sessions/${session_id}?user_id=ada`, { method: 'DELETE' })
    expect(deleted.status).toBe(204)
    const refused = await inLine
    expect(refused.headers.get('x-should-retry')).toBe('false')
    await expectProblem(refused, 503, 'aborted')
    release()
    expect(await (await held).text()).toBe('Done.')
    expect(model.requests).toHaveLength(3)
    await expectProblem(
      await app.request(`/api/v1/sessions/${session_id}?user_id=ada`, { method: 'DELETE' }),
      404,
      'not-found',
    )
  },
)

it('leaves the chats of other sessions and users in line', async () => {
  const { app, begun, release, oneWaits } = busyApp()
  await (await app.request('/api/v1/chat', ask('Hi'))).text()
  const held = app.request('/api/v1/chat', ask('Wait', other))
  await begun
  const inLine = app.request('/api/v1/chat', ask('Hi', { user_id: 'bob' }))
  await oneWaits()
  expect((await app.request('/api/v1/sessions/first?user_id=ada', { method: 'DELETE' })).status).toBe(204)
  release()
  await held
  expect(await (await inLine).text()).toBe('Late.')
})
