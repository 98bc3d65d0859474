import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  type ModelEvent,
  type ModelRequest,
  type SessionStore,
  Swarm,
  type ToolLike,
  tool,
} from '@agentkit/core'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqliteSessions } from './sqlite-sessions.ts'

const session = { userId: 'ann', sessionId: 's' }
const key = { agentId: 'test', ...session }
let folder: string
let stores: SessionStore[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-replaces-'))
  stores = []
})
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await rm(folder, { recursive: true })
})

/** A store as another process would open it. */
function open(): SessionStore {
  const store = sqliteSessions(join(folder, 'sessions.db'))
  stores.push(store)
  return store
}

function agentOf(turns: readonly ScriptedTurn[], sessions = open(), functions: ToolLike[] = []): Agent<unknown> {
  return new Agent<unknown>({ name: 'Test', functions, model: scriptedModel(turns), sessions })
}

it('is cancelled while it runs in another process, which stores no more of it', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<string>()
  const model = scriptedModel([() => answer])
  const first = new Agent({ name: 'Test', functions: [], model, sessions: open() })
  const run = first.stream('One?', session)
  const ended = run.result
  await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(1)
  const second = agentOf(['Two.'])
  expect(await second.chat('Two?', { ...session, replaces: run.runId })).toBe('Two.')
  resolve('One.')
  expect((await ended).finishReason).not.toBe('stop')
  expect(await textsOf(second)).toEqual(['Two?', 'Two.'])
  expect(await second.runs({ userId: 'ann' })).toMatchObject([
    { status: 'done' },
    { runId: run.runId, status: 'failed', finishReason: 'aborted', replaced: true },
  ])
})

it('cannot be decided any more when it waited', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 1,
  })
  const agent = agentOf([{ toolCalls: [{ name: 'pay', callId: 'pay' }] }, 'Instead.'], open(), [pay])
  const { runId, approvals } = await agent.stream('Pay', session).result
  await agent.chat('Do not pay', { ...session, replaces: runId })
  const decision = agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
  await expect(decision).rejects.toMatchObject({ code: 'session-conflict' })
  expect(await agent.runs({ status: 'waiting' })).toEqual([])
})

it('leaves nothing in a summary, also after a restart', async () => {
  const requests: ModelRequest[] = []
  // Repeats each word with a number that it sees, in summaries too.
  const model = {
    id: 'test/repeating',
    info: { contextWindow: 2_000, maxOutputTokens: 200 },
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      requests.push(structuredClone(request))
      const text = `Seen: ${[...new Set(JSON.stringify(request.messages).match(/word\d+/g))].join(' ')}`
      const message = { role: 'assistant' as const, content: [{ type: 'text' as const, text }] }
      yield { type: 'text-delta', text }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 }, message }
    },
  }
  const first = new Agent({ name: 'Test', functions: [], model, sessions: open() })
  const runIds: string[] = []
  for (let turn = 1; turn <= 12; turn++) {
    runIds.push((await first.stream(`word${turn} ${'and more '.repeat(150)}`, session).result).runId)
  }
  expect(JSON.stringify((await first.sessions.load(key))?.state)).toContain('word4')
  const seen = requests.length
  const second = new Agent({ name: 'Test', functions: [], model, sessions: open() })
  await second.chat('word100', { ...session, replaces: runIds[3] ?? '' })
  await second.chat('word101', session)
  const hidden = /word([4-9]|1[012])\b/
  expect(JSON.stringify(requests.slice(seen))).not.toMatch(hidden)
  expect(JSON.stringify(await second.sessions.load(key))).not.toMatch(hidden)
})

it('is hidden from the members of a swarm, which remember their own tasks', async () => {
  const clerk = scriptedModel(['1 done.', '2 done.', '3 done.'])
  const turns = [1, 2, 3].flatMap((turn) => [
    { toolCalls: [{ name: 'clerk', input: { task: `Task ${turn}.` } }] },
    `Answer ${turn}.`,
  ])
  const agents = [new Agent({ name: 'Clerk', functions: [], model: clerk })]
  const swarm = new Swarm({ name: 'Test', model: scriptedModel(turns), history: 'own', agents, sessions: open() })
  await swarm.chat('One', session)
  const { runId } = await swarm.stream('Two', session).result
  await swarm.chat('Three', { ...session, replaces: runId })
  const seen = JSON.stringify(clerk.requests.at(-1)?.messages)
  expect(seen).toMatch(/Task 1.*Task 3/)
  expect(seen).not.toContain('Task 2')
  // Deleting the session deletes what members remember.
  await swarm.sessions.delete({ agentId: 'test', ...session })
  expect(await swarm.sessions.load({ agentId: 'test/clerk', ...session })).toBeUndefined()
  expect(await swarm.runs()).toEqual([])
})

async function textsOf({ sessions }: Agent<unknown>): Promise<string[]> {
  const { messages = [] } = (await sessions.load(key)) ?? {}
  return messages.flatMap(({ content }) => {
    return typeof content === 'string'
      ? [content]
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  })
}
