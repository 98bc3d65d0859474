import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresSessions, sqliteSessions } from '@agentkit/sessions'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import { Agent, AgentKitError, type SessionStore, Swarm, tool } from 'agentkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { copySessions } from './copy-sessions.ts'
import { deleteUser } from './delete-user.ts'

let folder: string
let stores: SessionStore[]
let from: SessionStore
let to: SessionStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-'))
  from = sqliteSessions(join(folder, 'sessions.db'))
  to = postgresSessions(await testDatabase())
  stores = [from, to]
})
afterEach(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true })
})

const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
const broke = new AgentKitError('quota', 'Nothing is left on the account.')

it('copies conversations from SQLite to Postgres, which continue there', async () => {
  const model = scriptedModel(['Hello, Ann.', { toolCalls: [{ name: 'look' }] }, broke, 'First.', 'Second.', 'Other.'])
  const agent = new Agent({ name: 'Helper', functions: [look], model, sessions: from })
  const ann = { userId: 'ann', sessionId: 'a' }
  await agent.chat('I am Ann.', ann)
  await expect(agent.chat('Look.', ann)).rejects.toThrow('Nothing')
  const { runId } = await agent.stream('First?', ann).result
  await agent.chat('Second?', { ...ann, replaces: runId })
  await agent.chat('Hello', { userId: 'ann', sessionId: 'b' })
  await from.rename({ agentId: 'helper', ...ann }, 'My title')

  const owner = { agentId: 'helper', userId: 'ann' }
  await copySessions(from, to, owner)
  await copySessions(from, to, owner)

  const titles = async (store: SessionStore) =>
    (await store.list(owner)).map(({ sessionId, title }) => [sessionId, title])
  expect(await titles(to)).toEqual(await titles(from))
  const key = { agentId: 'helper', ...ann }
  expect((await to.load(key))?.messages).toEqual((await from.load(key))?.messages)
  const next = scriptedModel(['You are Ann.'])
  const moved = new Agent({ name: 'Helper', functions: [look], model: next, sessions: to })
  await moved.chat('Who am I?', ann)
  expect(JSON.stringify(next.requests[0]?.messages)).toContain('I am Ann.')
  await deleteUser(moved, 'ann')
  expect(await to.list(owner)).toEqual([])
})

it('copies which member of a swarm is active', async () => {
  const open = (sessions: SessionStore, first: string, second: string) => {
    const desk = new Agent({
      name: 'Desk',
      model: scriptedModel([{ toolCalls: [{ name: 'transfer_to_billing' }] }]),
      sessions,
    })
    const billing = new Agent({ name: 'Billing', model: scriptedModel([first, second]), sessions })
    return new Swarm({ name: 'Help', agents: [desk, billing], collaboration: 'handoff', sessions })
  }
  const session = { userId: 'ann', sessionId: 'a' }
  expect(await open(from, 'I am Billing.', '').chat('An invoice', session)).toContain('I am Billing.')
  await copySessions(from, to, { agentId: 'help', userId: 'ann' })
  expect(await open(to, 'Still Billing.', '').chat('And now?', session)).toBe('Still Billing.')
})
