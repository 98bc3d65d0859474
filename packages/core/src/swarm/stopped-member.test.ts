import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, member, thinking } from '../__fixtures__/team.ts'
import {
  type AgentRun,
  type Message,
  memorySessions,
  type SessionStore,
  Swarm,
  tool,
  toolCalls,
  validateTranscript,
} from '../index.ts'
import { handBackRuns } from '../sessions/live-runs.ts'

refuseUnhandledRejections()

const session = { userId: 'ann', sessionId: 's' }
const kinds = ['manager', 'sequence', 'parallel', 'nested'] as const

/** A swarm whose member charges, and whose model then waits for the abort. */
function stoppable(kind: (typeof kinds)[number], sessions: SessionStore, charged = (): void => {}) {
  const charge = tool({ name: 'charge', description: 'Charges.', input: { type: 'object' }, execute: () => 'charged' })
  const waits = thinking(({ messages }, signal) => {
    if (messages.at(-1)?.role !== 'tool') return [['charge', { usd: 5 }]]
    charged()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const clerk = member('Clerk', waits, { functions: [charge] })
  const inner = new Swarm({ name: 'Inner', model: callingThen([['clerk', { task: 'Charge.' }]], ''), agents: [clerk] })
  const [id, agents] = kind === 'nested' ? ['inner', [inner]] : ['clerk', [clerk]]
  const model = callingThen([[id, { task: 'Go.' }]], 'Done.')
  const collaboration = kind === 'nested' ? 'manager' : kind
  const swarm = new Swarm({ name: 'Team', model, agents: agents as Swarm[], collaboration, sessions })
  return { swarm, model, path: kind === 'nested' ? 'team/inner/clerk' : 'team/clerk' }
}

type Way = (run: AgentRun, controller: AbortController) => Promise<void>
const ways: [string, Way][] = [
  ['its signal', async (_, controller) => controller.abort()],
  ['cancel()', async (run) => run.cancel()],
  [
    'a reader that leaves',
    async (run) => {
      for await (const { type } of run) if (type === 'tool-result') break
    },
  ],
  ['a deadline', async (_, controller) => controller.abort(new DOMException('Over.', 'TimeoutError'))],
]

function expectCharged(messages: readonly Message[] = []): void {
  expect(validateTranscript([...messages])).toEqual([])
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
  expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([{ name: 'charge', input: { usd: 5 } }])
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: expect.stringMatching('stopped: ') }] })
}

describe.each<[string, () => SessionStore]>([
  ['in memory', memorySessions],
  ['in a store that records runs', () => memoryDisk().open().store],
])('what a member had finished when its swarm was aborted, %s', (_, makeStore) => {
  it.each(kinds.flatMap((kind) => ways.map(([by, way]) => [kind, by, way] as const)))(
    'stays in the sessions of the swarm and of the member: %s, by %s',
    async (kind, by, stop) => {
      const sessions = makeStore()
      const { promise: isCharged, resolve: charged } = Promise.withResolvers<void>()
      const { swarm, model, path } = stoppable(kind, sessions, charged)
      const controller = new AbortController()
      const run = swarm.stream('Go.', { ...session, signal: controller.signal })
      // A run begins once it is read or awaited.
      if (by !== 'a reader that leaves') await Promise.race([isCharged, run.result])
      await stop(run, controller)
      const { messages, finishReason } = await run.result
      expect(finishReason).not.toBe('stop')
      expectCharged((await sessions.load({ agentId: path, ...session }))?.messages)
      const stored = (await sessions.load({ agentId: 'team', ...session }))?.messages
      expect(stored).toEqual(messages)
      expect(validateTranscript(messages)).toEqual([])
      const call = messages.find((message) => message.role === 'tool' && message.isError)
      const { status, finished } = JSON.parse(call?.content as string)
      expect(status).toBe(by === 'a deadline' ? 'failed' : 'aborted')
      expect(finished).toEqual([...(kind === 'nested' ? ['clerk {"task":"Charge."}'] : []), 'charge {"usd":5}'])
      // A swarm with a plan asks its members, and no model of its own.
      if (kind !== 'manager' && kind !== 'nested') return
      const next = swarm.stream('And now?', session)
      for await (const { type } of next) if (type === 'tool-call') next.cancel()
      expect(JSON.stringify(model.requests)).toContain('charge')
    },
  )
})

it('does not stay where the member had finished nothing', async () => {
  const sessions = memorySessions()
  const { swarm } = stoppable('manager', sessions)
  const run = swarm.stream('Go.', session)
  for await (const { type, path } of run) if (type === 'agent-start' && path.length > 1) break
  await run.result
  expect(await sessions.load({ agentId: 'team/clerk', ...session })).toBeUndefined()
  expect((await sessions.load({ agentId: 'team', ...session }))?.messages).toEqual([])
})

it.each(kinds)('does not stay where another process continues the run: %s', async (kind) => {
  const disk = memoryDisk()
  const { store } = disk.open()
  const { promise: isCharged, resolve: charged } = Promise.withResolvers<void>()
  const { swarm, path } = stoppable(kind, store, charged)
  const run = swarm.stream('Go.', { ...session, resumable: true })
  const { result } = run
  await isCharged
  await handBackRuns(store, 10)
  await result
  expect(await store.load({ agentId: path, ...session })).toBeUndefined()
  const turn = await store.find(run.runId)
  expect(turn?.messages.filter(({ role }) => role === 'tool')).toEqual([])
  expect(await store.runs.orphans(['team'])).toMatchObject([{ runId: run.runId, isLost: false }])
})

it.each(kinds)('is not shown by a process whose run another one has replaced: %s', async (kind) => {
  const disk = memoryDisk()
  const { store, kill } = disk.open()
  const other = disk.open().store
  const { promise: isCharged, resolve: charged } = Promise.withResolvers<void>()
  const { swarm, path } = stoppable(kind, store, charged)
  const controller = new AbortController()
  const run = swarm.stream('Go.', { ...session, signal: controller.signal })
  const { result } = run
  await isCharged
  // The process was frozen, and counts as dead.
  kill()
  const agents = [member('Clerk')]
  const later = new Swarm({
    name: 'Team',
    model: callingThen([['clerk']], 'Later.'),
    agents,
    sessions: other,
    onBusy: 'interrupt',
  })
  expect(await later.chat('Instead.', { ...session, replaces: run.runId })).toBe('Later.')
  controller.abort()
  await result
  const shown = await Promise.all([path, 'team'].map((agentId) => other.load({ agentId, ...session })))
  expect(JSON.stringify(shown)).not.toContain('charge')
})
