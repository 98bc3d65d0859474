import { DatabaseSync } from 'node:sqlite'
import type { Hono } from 'hono'
import { beforeEach, expect, it, vi } from 'vitest'
import { ask, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

// Clients show the conversations that can be read where one is damaged, and can delete that one.

const stored = storedAgents()
let app: Hono
let runs: string[]
let logged: string[]
let damage: (text: string) => void
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { agent, path } = stored(['One.', 'Two.', payTurn])
  logged = []
  app = createApp(agent, { log: ({ error }) => void (error && logged.push(JSON.stringify(error))) })
  runs = []
  for (const session_id of ['a', 'b', 'c']) {
    const response = await app.request('/api/v1/chat', ask('Hi.', { user_id: 'ada', session_id }))
    runs.push(response.headers.get('x-run-id') ?? '')
  }
  damage = (text) => {
    const database = new DatabaseSync(path)
    database.exec(text)
    database.close()
  }
})

const read = async (path: string): Promise<unknown> => {
  const response = await app.request(`/api/v1${path}${path.includes('?') ? '&' : '?'}user_id=ada`)
  expect(response.status).toBe(200)
  return response.json()
}

it('lists the runs and turns, where the usage of one cannot be read', async () => {
  damage(`UPDATE runs SET usage = '{half' WHERE run_id = '${runs[0]}'`)
  const found = runs.toReversed().map((run_id, index) => ({ run_id, usage: index === 2 ? null : expect.anything() }))
  expect(await read('/runs')).toMatchObject({ runs: found })
  expect(await read('/sessions/a/turns')).toMatchObject({ turns: [{ run_id: runs[0], answer: 'One.', usage: null }] })
  expect(logged).toEqual([expect.stringContaining(`The usage of the run ${runs[0]} cannot be read`)])
})

it('shows the other chats, where the messages of one cannot be read', async () => {
  damage(`UPDATE messages SET body = '{half' WHERE run = (SELECT number FROM runs WHERE run_id = '${runs[0]}')`)
  expect(Object.keys((await read('/all_chats')) as object)).toEqual(['b'])
  expect(logged).toEqual([expect.stringContaining(`The messages of the run ${runs[0]} cannot be read`)])
})

it.each(['messages', 'progress'])(
  'deletes a session with a run that waits, where its %s cannot be read',
  async (what) => {
    damage(what === 'messages' ? `UPDATE messages SET body = '{half'` : `UPDATE runs SET progress = '{half'`)
    const response = await app.request('/api/v1/sessions/c?user_id=ada', { method: 'DELETE' })
    expect(response.status).toBe(204)
    expect(await read('/runs?session_id=c')).toEqual({ runs: [], next: null })
  },
)
