import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, isAgentKitError, type SessionStore, validateTranscript, visibleMessages } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const inSession = { userId: 'ann', sessionId: 's' }
const key = { agentId: 'helper', ...inSession }
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

it.each([1, 2])('makes one linear, valid history of 200 parallel chats in %i stores of one file', async (count) => {
  const stores = Array.from({ length: count }, () => sqliteSessions(path))
  const agents = stores.map((store) => echo(store, 'queue'))
  const questions = Array.from({ length: 200 }, (_, index) => `question ${index}`)
  const answers = await Promise.all(
    questions.map((question, index) => agents[index % count]?.chat(question, inSession)),
  )
  expect(answers).toEqual(questions.map((question) => `answer to ${question}`))

  const [store] = stores as [SessionStore]
  const turns = await store.turns(key)
  expect(turns).toHaveLength(200)
  expect(turns.every(({ status, messages }) => status === 'done' && messages.length === 2)).toBe(true)
  const session = await store.load(key)
  expect(session).toMatchObject({ version: 400, messages: { length: 400 } })
  expect(validateTranscript(session?.messages ?? [])).toEqual([])
  await Promise.all(stores.map((each) => each.close()))
})

it('keeps a valid history of chats that queue, reject, interrupt and time out', async () => {
  const stores = [sqliteSessions(path), sqliteSessions(path)] as const
  const chat = async (index: number): Promise<string> => {
    await sleep(index % 50)
    const onBusy = index % 19 === 0 ? 'interrupt' : index % 7 === 0 ? 'reject' : 'queue'
    const agent = echo(stores[index % 2] as SessionStore, onBusy)
    const options = index % 11 === 0 ? { ...inSession, timeoutMs: 20 } : inSession
    return agent.chat(`question ${index}`, options).catch((error) => (isAgentKitError(error) ? error.code : 'unknown'))
  }
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => chat(index)))
  const answered = outcomes.filter((outcome) => outcome.startsWith('answer to'))
  expect(outcomes.filter((outcome) => !answered.includes(outcome))).not.toContain('unknown')

  const [store, other] = stores
  const turns = await store.turns(key)
  expect(turns.filter(({ status }) => status === 'running')).toEqual([])
  expect(turns.filter(({ status }) => status === 'done').length).toBeGreaterThanOrEqual(answered.length)
  const { messages = [] } = (await store.load(key)) ?? {}
  expect(messages).toEqual(turns.flatMap(visibleMessages))
  expect(validateTranscript(messages)).toEqual([])
  expect(await echo(other, 'reject').chat('last', inSession)).toBe('answer to last')
  await Promise.all(stores.map((each) => each.close()))
})

it('pays once when several processes approve a run whose process was killed', async () => {
  const paid = join(folder, 'paid.txt')
  const asking = startChild('pay.ts', [path, paid, 'ask'])
  const waiting = await asking.nextLine()
  asking.process.kill('SIGKILL')
  await asking.exited

  const granting = [1, 2, 3].map(() => startChild('pay.ts', [path, paid, 'grant']))
  await Promise.all(granting.map((child) => child.nextLine()))
  const lines = granting.map((child) => child.nextLine())
  for (const child of granting) child.process.stdin.end(`${waiting}\n`)
  expect((await Promise.all(lines)).toSorted()).toEqual(['Paid.', 'session-conflict', 'session-conflict'])
  expect(await readFile(paid, 'utf8')).toBe('paid\n')
  await Promise.all(granting.map((child) => child.exited))

  const store = sqliteSessions(path)
  const { messages = [] } = (await store.load({ agentId: 'payer', userId: 'ann', sessionId: 's' })) ?? {}
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(validateTranscript(messages)).toEqual([])
  await store.close()
})

function echo(sessions: SessionStore, onBusy: 'queue' | 'reject' | 'interrupt'): Agent {
  const model = scriptedModel(
    Array.from({ length: 200 }, () => async ({ messages }) => {
      await sleep(1)
      return `answer to ${String(messages.at(-1)?.content)}`
    }),
  )
  return new Agent({ name: 'Helper', functions: [], model, sessions, onBusy })
}
