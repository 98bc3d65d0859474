import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomOf } from '../__fixtures__/random.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { AssistantMessage, JSONValue, Message, ToolMessage, UserMessage } from '../data/message.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { SessionKey } from '../data/session-data.ts'
import { validateTranscript } from '../data/transcript.ts'
import { memorySessions } from './memory-sessions.ts'
import { openTurn, resumeTurn } from './open-turn.ts'
import type { OpenTurn } from './turn.ts'

const owner = { agentId: 'test', userId: 'ann' }
const key: SessionKey = { ...owner, sessionId: 's' }
const waitsForB = { asks: ['b'] }
const usage = { totalTokens: 5 }
const conflict = { code: 'session-conflict' }
const seed: Message[] = [user('earlier'), answer('yes')]

afterEach(() => void vi.useRealTimers())

describe('a suspended run', () => {
  it('is stored as waiting, with its usage, and shows its finished calls to others', async () => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    expect(await store.find('r1')).toMatchObject({ status: 'waiting', usage, messages: { length: 3 } })
    const next = await open(store, 'r2')
    expect(next.history).toEqual([user('r1'), calls('a'), result('a'), answer('[stopped: waiting for approval]')])
  })

  it('blocks no other run, also when it is never decided', async () => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    for (const runId of ['r2', 'r3']) await runTurn(store, runId, 'reject')
    expect(await statuses(store)).toEqual(['r1 waiting', 'r2 done', 'r3 done'])
  })

  it('continues where it was suspended', async () => {
    const store = memorySessions()
    await runTurn(store, 'r0')
    const turn = await suspendRun(store, 'r1')
    const { hasMoved } = await turn.resume(never())
    expect(hasMoved).toBe(false)
    expect(turn.history).toEqual([user('r0'), answer('r0')])
    await finish(turn)
    const own = [user('r1'), calls('a', 'b'), result('a'), result('b'), answer('Done.')]
    expect((await store.load(key))?.messages).toEqual([user('r0'), answer('r0'), ...own])
    expect(await store.find('r1')).toMatchObject({ status: 'done', usage: { totalTokens: 9 } })
    await runTurn(store, 'r2')
  })

  it('continues in its own place when other runs came in between', async () => {
    const store = memorySessions()
    await runTurn(store, 'r0')
    const turn = await suspendRun(store, 'r1')
    await runTurn(store, 'r2')
    expect(await turn.resume(never())).toEqual({ hasMoved: true })
    expect(turn.history).toEqual([user('r0'), answer('r0'), user('r2'), answer('r2')])
    await finish(turn)
    expect(textsOf((await store.load(key))?.messages)).toEqual([
      ...['r0', 'r0', 'r1', 'a b', 'result of a', 'result of b', 'Done.', 'r2', 'r2'],
    ])
  })

  it('reports that other runs changed the session, also when they only changed earlier turns', async () => {
    const store = memorySessions()
    const first = await suspendRun(store, 'r1')
    const second = await suspendRun(store, 'r2')
    expect(textsOf(second.history)).toEqual(['r1', 'a', 'result of a', '[stopped: waiting for approval]'])
    expect(await first.resume(never())).toEqual({ hasMoved: true })
    await finish(first)
    expect(await second.resume(never())).toEqual({ hasMoved: true })
    expect(textsOf(second.history)).toEqual(['r1', 'a b', 'result of a', 'result of b', 'Done.'])
  })

  it.each<[string, (turn: OpenTurn) => Promise<void>]>([
    ['append', async (turn) => turn.append([answer('[stopped: aborted]')])],
    ['end', (turn) => turn.end('failed', {})],
  ])('refuses %s from a caller that stops while it is being suspended', async (_, attempt) => {
    const store = memorySessions()
    const turn = await open(store, 'r1')
    await turn.append([calls('a', 'b')])
    await turn.append([result('a')])
    const suspended = turn.suspend(waitsForB, usage, [], [])
    await expect(attempt(turn)).rejects.toMatchObject(conflict)
    await suspended
    await finish((await resume(store, 'r1')).turn)
    expect(textsOf((await store.load(key))?.messages)).toEqual(['r1', 'a b', 'result of a', 'result of b', 'Done.'])
  })

  it('can be suspended again', async () => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1')
    await turn.resume(never())
    await turn.append([result('b'), calls('c')])
    await turn.suspend({ asks: ['c'] }, { totalTokens: 7 }, [], [])
    await runTurn(store, 'r2')
    const again = await resume(store, 'r1')
    expect(again).toMatchObject({ waiting: { asks: ['c'] }, usage: { totalTokens: 7 }, hasMoved: true })
    expect(again.messages).toEqual([user('r1'), calls('a', 'b'), result('a'), result('b'), calls('c')])
  })

  it('joins the queue when it is resumed', async () => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1')
    const holding = await open(store, 'r2')
    const resumed = turn.resume(never())
    expect(await settled(resumed)).toBe(false)
    await end(holding)
    expect(await resumed).toEqual({ hasMoved: true })
    await finish(turn)
  })

  it('stays suspended when it is aborted in the queue, or interrupted', async () => {
    const store = memorySessions()
    const controller = new AbortController()
    const turn = await suspendRun(store, 'r1', { interrupt: (reason) => controller.abort(reason) })
    const holding = await open(store, 'r2')
    await expect(turn.resume(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    const resumed = turn.resume(controller.signal)
    const newer = open(store, 'r3', { onBusy: 'interrupt' })
    await expect(resumed).rejects.toMatchObject({ message: 'A newer message interrupted the run.' })
    await end(holding)
    await end(await newer)
    await finish((await resume(store, 'r1')).turn)
    expect(await statuses(store)).toEqual(['r1 done', 'r2 done', 'r3 done'])
  })

  it('keeps its session when it could not be suspended, until it is released', async () => {
    const inner = memorySessions()
    const store: SessionStore = { ...inner, end: () => Promise.reject(new Error('disk full')) }
    await expect(suspendRun(store, 'r1')).rejects.toThrow('disk full')
    await expect(open(store, 'r2', { onBusy: 'reject' })).rejects.toMatchObject({ code: 'session-busy' })
  })
})

describe('a run that is resumed', () => {
  it('continues in another process, with its snapshot', async () => {
    const store = memorySessions()
    await runTurn(store, 'r0')
    await suspendRun(store, 'r1')
    const resumed = await resume({ ...store }, 'r1')
    expect(resumed).toMatchObject({ ...key, userId: 'ann', waiting: waitsForB, usage, hasMoved: false })
    expect(resumed.turn.history).toEqual([user('r0'), answer('r0')])
    expect(resumed.messages).toEqual([user('r1'), calls('a', 'b'), result('a')])
    await finish(resumed.turn)
    expect(validateTranscript((await store.load(key))?.messages ?? [])).toEqual([])
  })

  it('has its results in the order of their calls', async () => {
    const store = memorySessions()
    const turn = await open(store, 'r1')
    await turn.append([calls('a', 'b', 'c')])
    for (const callId of ['c', 'a']) await turn.append([result(callId)])
    await turn.suspend(waitsForB, usage, [], [])
    const { messages } = await resume(store, 'r1')
    expect(messages).toEqual([user('r1'), calls('a', 'b', 'c'), result('a'), result('c')])
  })

  it.each(['in this process', 'in another one'])('has the seed of its session before it, %s', async (where) => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1', { seed })
    await runTurn(store, 'r2')
    if (where === 'in this process') {
      await turn.resume(never())
      expect(turn.history).toEqual([...seed, user('r2'), answer('r2')])
    } else {
      const resumed = await resume(store, 'r1')
      expect(resumed.turn.history).toEqual([...seed, user('r2'), answer('r2')])
      expect(resumed.messages).toEqual([user('r1'), calls('a', 'b'), result('a')])
    }
  })

  it('is resumed once, of several attempts: in this process, in others, at once or later', async () => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1')
    const attempts: Promise<unknown>[] = [turn.resume(never())]
    for (const process of [store, { ...store }, { ...store }])
      attempts.push(resume(process, 'r1'), resume(process, 'r1'))
    // Those of this process are queued behind the one that has it; they are rejected first.
    const first = await attempts[0]
    expect(first).toEqual({ hasMoved: false })
    await finish(turn)
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(conflict)
    await expect(resume(store, 'r1')).rejects.toMatchObject({
      ...conflict,
      message: 'The run r1 is not suspended any more: it was resumed, cancelled or replaced already.',
    })
    await expect(turn.resume(never())).rejects.toMatchObject(conflict)
  })

  it('is refused as resumed already, also when its state was replaced and it has failed', async () => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    const { turn } = await resume(store, 'r1')
    await turn.append([result('b')], { active: 'writer' })
    await expect(resume(store, 'r1')).rejects.toMatchObject(conflict)
    await turn.end('failed', {})
    turn.release()
    await expect(resume(store, 'r1')).rejects.toMatchObject(conflict)
  })

  it.each<[string, Partial<Parameters<typeof resumeTurn>[0]>]>([
    ['that is unknown', { runId: 'r9' }],
    ['of another agent', { agentId: 'other' }],
    ['of another user', { userId: 'bob' }],
    ['that runs and never waited', { runId: 'r2' }],
  ])('%s is not found', async (_, request) => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    await open(store, 'r2')
    const attempt = resumeTurn({ store, runId: 'r1', ...defaults(), ...request })
    await expect(attempt).rejects.toMatchObject({ code: 'not-found', runId: request.runId ?? 'r1' })
    expect((await store.find('r1'))?.status).toBe('waiting')
  })

  it.each([undefined, 'ann'])('is resumed for the user %j', async (userId) => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    const request = { store, runId: 'r1', ...defaults() }
    expect(await resumeTurn(userId ? { ...request, userId } : request)).toMatchObject({ entry: { userId: 'ann' } })
  })

  it('is gone with its session', async () => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1')
    await store.delete(key)
    await expect(resume(store, 'r1')).rejects.toMatchObject({ code: 'not-found' })
    await expect(turn.resume(never())).rejects.toMatchObject({ code: 'not-found' })
    expect(await store.load(key)).toBeUndefined()
  })

  it('follows `onBusy` when the session is busy', async () => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    const controller = new AbortController()
    const holding = await open(store, 'r2', { interrupt: (reason) => controller.abort(reason) })
    await expect(resume(store, 'r1', { onBusy: 'reject' })).rejects.toMatchObject({ code: 'session-busy' })
    const resumed = resume(store, 'r1', { onBusy: 'interrupt' })
    await sleep(1)
    expect(controller.signal.aborted).toBe(true)
    await end(holding)
    await finish((await resumed).turn)
  })

  it('can be interrupted once it is resumed', async () => {
    const store = memorySessions()
    await suspendRun(store, 'r1')
    const controller = new AbortController()
    const { turn } = await resume(store, 'r1', { interrupt: (reason) => controller.abort(reason) })
    const newer = open(store, 'r2', { onBusy: 'interrupt' })
    await sleep(1)
    expect(controller.signal.aborted).toBe(true)
    await turn.end('failed', {})
    turn.release()
    await end(await newer)
  })

  it('stays suspended when the store fails to report that it has begun', async () => {
    const inner = memorySessions()
    await suspendRun(inner, 'r1')
    let lost = 0
    const store: SessionStore = {
      ...inner,
      async begin(...parameters) {
        await inner.begin(...parameters)
        if (++lost === 1) throw new Error('connection lost')
      },
    }
    await expect(resume(store, 'r1')).rejects.toThrow('connection lost')
    await runTurn(store, 'r2')
    expect(await inner.find('r1')).toMatchObject({ status: 'waiting', usage })
    await finish((await resume(store, 'r1')).turn)
    expect(await statuses(inner)).toEqual(['r1 done', 'r2 done'])
  })

  it('stays suspended when its caller was aborted as it began', async () => {
    const inner = memorySessions()
    await suspendRun(inner, 'r1')
    const controller = new AbortController()
    const store: SessionStore = {
      ...inner,
      async begin(...parameters) {
        controller.abort()
        await sleep(1)
        return inner.begin(...parameters)
      },
    }
    await expect(resume(store, 'r1', { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    await sleep(10)
    expect(await inner.find('r1')).toMatchObject({ status: 'waiting', usage })
    await finish((await resume(inner, 'r1')).turn)
  })

  it('has failed when it was resumed and its end could not be stored', async () => {
    const inner = memorySessions()
    await suspendRun(inner, 'r1')
    let down = true
    const store: SessionStore = {
      ...inner,
      end: (...parameters) => (down ? Promise.reject(new Error('disk full')) : inner.end(...parameters)),
    }
    const { turn } = await resume(store, 'r1')
    await expect(turn.end('done', {})).rejects.toThrow('disk full')
    turn.release()
    down = false
    await runTurn(store, 'r2')
    expect(await statuses(inner)).toEqual(['r1 failed', 'r2 done'])
  })
})

describe('the state of a session', () => {
  it.each<[JSONValue | undefined]>([[undefined], [null], [{}], [{ active: 'writer' }], [['a']], ['text'], [0]])(
    'is %j also while a run waits, when it continues, and afterwards',
    async (state) => {
      const store = memorySessions()
      const turn = await open(store, 'r1')
      await turn.append([calls('a', 'b')], state)
      expect(turn.state).toEqual(state)
      await turn.suspend(waitsForB, usage, [], [])
      const other = await open(store, 'r2')
      expect(other.state).toEqual(state)
      await end(other)
      const resumed = await resume(store, 'r1')
      expect(resumed.turn.state).toEqual(state)
      await finish(resumed.turn)
      const last = await open(store, 'r3')
      expect(last.state).toEqual(state)
    },
  )

  it('is the newest one when a run is resumed', async () => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1')
    const other = await open(store, 'r2')
    await other.append([answer('r2')], { active: 'reader' })
    await end(other)
    await turn.resume(never())
    expect(turn.state).toEqual({ active: 'reader' })
    await turn.append([result('b')], { active: 'writer' })
    expect(turn.state).toEqual({ active: 'writer' })
    await end(turn)
    expect((await open(store, 'r3')).state).toEqual({ active: 'writer' })
  })

  it('drops the snapshot once a run is resumed', async () => {
    const store = memorySessions()
    const turn = await suspendRun(store, 'r1')
    expect(JSON.stringify(await store.load(key))).toContain('"asks"')
    await turn.resume(never())
    await finish(turn)
    expect(JSON.stringify(await store.load(key))).not.toContain('"asks"')
    expect(JSON.stringify(await store.find('r1'))).not.toContain('"asks"')
  })

  it('is not written again with every message', async () => {
    const inner = memorySessions()
    const states: unknown[] = []
    const store: SessionStore = {
      ...inner,
      append(runId, messages, state) {
        if (state !== undefined) states.push(state)
        return inner.append(runId, messages, state)
      },
    }
    const turn = await suspendRun(store, 'r1')
    await turn.resume(never())
    await finish(turn)
    expect(states).toHaveLength(2)
  })
})

describe('a run without a session', () => {
  const messages = [user('r1'), calls('a', 'b'), result('a')]

  it('is stored once it is suspended, and shows in no list', async () => {
    const store = memorySessions()
    const turn = await openAlone(store, 'r1')
    await turn.append([calls('a', 'b')])
    await turn.append([result('a')])
    expect(await store.find('r1')).toBeUndefined()
    await turn.suspend(waitsForB, usage, messages, [])
    expect(await store.find('r1')).toMatchObject({ status: 'waiting', messages: [...seed, ...messages], usage })
    expect(await store.list(owner)).toEqual([])
  })

  it('continues in this process, and leaves nothing behind', async () => {
    const store = memorySessions()
    const turn = await suspendAlone(store, 'r1')
    expect(await turn.resume(never())).toEqual({ hasMoved: false })
    expect(turn.history).toEqual(seed)
    await finish(turn)
    expect(await store.find('r1')).toBeUndefined()
    await expect(resume(store, 'r1')).rejects.toMatchObject({ code: 'session-conflict' })
  })

  it('continues in another process, with the turns before it', async () => {
    const store = memorySessions()
    await suspendAlone(store, 'r1')
    const resumed = await resume({ ...store }, 'r1')
    expect(resumed).toMatchObject({ userId: 'ann', waiting: waitsForB, usage, messages, hasMoved: false })
    expect(resumed).not.toHaveProperty('sessionId')
    expect(resumed.turn.history).toEqual(seed)
    expect(resumed.turn.state).toEqual({ active: 'writer' })
    await expect(resume(store, 'r1')).rejects.toMatchObject(conflict)
    await resumed.turn.append([result('b'), calls('c')])
    await resumed.turn.suspend({ asks: ['c'] }, usage, [], [])
    const again = await resume({ ...store }, 'r1')
    expect(again.messages).toEqual([...messages, result('b'), calls('c')])
    await again.turn.end('failed', {})
    expect(await store.find('r1')).toBeUndefined()
  })

  it('ends, also when it cannot be deleted', async () => {
    const store: SessionStore = { ...memorySessions(), delete: () => Promise.reject(new Error('disk full')) }
    const turn = await suspendAlone(store, 'r1')
    await turn.resume(never())
    await finish(turn)
    expect(await store.find('r1')).toMatchObject({ status: 'done' })
  })

  it('that is never suspended touches no store', async () => {
    const refuse = (): Promise<never> => Promise.reject(new Error('not connected'))
    const store = { ...memorySessions(), load: refuse, begin: refuse, append: refuse, end: refuse, delete: refuse }
    const turn = await openAlone(store, 'r1')
    expect(turn.history).toEqual(seed)
    await turn.append([answer('Done.')], { active: 'writer' })
    expect(turn.state).toEqual({ active: 'writer' })
    await turn.end('done', {})
    turn.release()
    await expect(turn.resume(never())).rejects.toMatchObject({ code: 'not-found' })
  })

  const hour = 3_600_000

  it('stays suspended for as long as its approvals can be decided', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = memorySessions()
    await suspendAlone(store, 'r1')
    await suspendAlone(store, 'r2')
    vi.setSystemTime(Date.now() + 24 * hour)
    expect(await resume(store, 'r1')).toMatchObject({ waiting: waitsForB })
    vi.setSystemTime(Date.now() + 1)
    await expect(resume(store, 'r2')).rejects.toMatchObject({
      code: 'approval',
      message: expect.stringContaining('`approvalDays` of its agent is 1.'),
    })
    expect(await store.find('r2')).toBeUndefined()
  })

  it('is deleted once it has expired and another run of its user and agent is suspended, in a session or without', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = memorySessions()
    await suspendAlone(store, 'r1')
    await suspendAlone(store, "bob's", { ...owner, userId: 'bob' })
    await suspendAlone(store, "another agent's", { ...owner, agentId: 'other' })
    vi.setSystemTime(Date.now() + 23 * hour)
    await suspendAlone(store, 'r2')
    await sleep(1)
    expect(await store.find('r1')).toBeDefined()
    vi.setSystemTime(Date.now() + 2 * hour)
    await suspendRun(store, 'r3')
    await sleep(1)
    expect(await store.find('r1')).toBeUndefined()
    for (const runId of ['r2', 'r3', "bob's", "another agent's"]) expect(await store.find(runId)).toBeDefined()
  })

  it('is suspended, also when expired runs cannot be deleted', async () => {
    const store: SessionStore = { ...memorySessions(), list: () => Promise.reject(new Error('disk full')) }
    await suspendAlone(store, 'r1')
    await sleep(1)
    await finish((await resume(store, 'r1')).turn)
  })

  it('fails, in its session, when it is resumed later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = memorySessions()
    await suspendRun(store, 'r1')
    vi.setSystemTime(Date.now() + 24 * hour + 1)
    await expect(resume(store, 'r1')).rejects.toMatchObject({ code: 'approval' })
    expect(await store.find('r1')).toMatchObject({ status: 'failed', usage })
    await expect(resume(store, 'r1')).rejects.toMatchObject(conflict)
    await finish(await open(store, 'r2'))
  })
})

// Runs of one session in three processes: they act, wait, and continue in any of them; some are never decided, some fail. What
// a run is shown, and has stored, is one valid transcript without repetitions.
it.each([1, 2, 3, 4, 5, 6])(
  'history stays valid and has nothing twice, whatever runs are suspended and resumed (%i)',
  async (seed) => {
    const { below: random } = randomOf(seed)
    const store = memorySessions()
    const processes = [store, { ...store }, { ...store }]
    const somewhere = (): SessionStore => processes[random(3)] as SessionStore
    const ended = new Map<string, 'done' | 'failed' | 'waiting'>()

    const check = (history: readonly Message[], messages: readonly Message[], runId: string): void => {
      expect(validateTranscript([...history, ...messages])).toEqual([])
      const texts = textsOf([...history, ...messages]).filter((text) => !text.startsWith('[stopped'))
      expect(new Set(texts).size, `${runId}: ${texts.join(', ')}`).toBe(texts.length)
    }
    const run = async (runId: string): Promise<void> => {
      await sleep(random(30))
      let turn = await open(somewhere(), runId)
      const messages: Message[] = [user(runId)]
      const append = async (message: Message): Promise<void> => {
        messages.push(message)
        await turn.append([message])
      }
      check(turn.history, messages, runId)
      for (let step = 0; step < 3; step++) {
        const [here, asked] = [`${runId} ${step} here`, `${runId} ${step} asked`]
        await append(calls(here, asked))
        await append(result(here))
        if (random(2) === 0) {
          await turn.suspend({ step }, usage, messages, [])
          if (random(4) === 0) return void ended.set(runId, 'waiting')
          await sleep(random(10))
          if (random(2) === 0) await turn.resume(never())
          else {
            const resumed = await resume(somewhere(), runId)
            expect(resumed.messages).toEqual(messages)
            turn = resumed.turn
          }
        }
        await append(result(asked))
        check(turn.history, messages, runId)
      }
      await append(answer(`${runId} done`))
      const status = random(4) === 0 ? 'failed' : 'done'
      await turn.end(status, usage)
      turn.release()
      ended.set(runId, status)
    }
    const runIds = Array.from({ length: 30 }, (_, index) => `run ${index}`)
    await Promise.all(runIds.map(run))

    const turns = await store.turns(key)
    expect(turns.map(({ runId, status }) => [runId, status]).toSorted()).toEqual([...ended].toSorted())
    const { messages = [] } = (await store.load(key)) ?? {}
    expect(validateTranscript(messages)).toEqual([])
    await finish(await open(store, 'last'))
  },
)

type Options = { seed?: Message[]; onBusy?: OnBusy; interrupt?(reason: Error): void; signal?: AbortSignal }

function open(store: SessionStore, runId: string, options: Options = {}): Promise<OpenTurn> {
  return openTurn({ store, key, userId: 'ann', runId, input: user(runId), seed: [], ...defaults(), ...options })
}

async function resume(store: SessionStore, runId: string, options: Options = {}) {
  const { entry, ...resumed } = await resumeTurn({ store, runId, ...defaults(), ...options })
  return { ...resumed, ...entry, hasMoved: resumed.hasMoved }
}

function defaults() {
  return { agentId: 'test', signal: never(), onBusy: 'queue' as const, approvalMs: 86_400_000, interrupt() {} }
}

function openAlone(store: SessionStore, runId: string, whose = owner): Promise<OpenTurn> {
  return openTurn({ store, key: undefined, runId, input: user(runId), seed, ...defaults(), ...whose })
}

/** A run that has finished one of its calls, and waits for the other. */
async function suspendRun(store: SessionStore, runId: string, options: Options = {}): Promise<OpenTurn> {
  const turn = await open(store, runId, options)
  await turn.append([calls('a', 'b')])
  await turn.append([result('a')])
  await turn.suspend(waitsForB, usage, [], [])
  return turn
}

async function suspendAlone(store: SessionStore, runId: string, whose = owner): Promise<OpenTurn> {
  const turn = await openAlone(store, runId, whose)
  await turn.append([], { active: 'writer' })
  await turn.suspend(waitsForB, usage, [user(runId), calls('a', 'b'), result('a')], [])
  return turn
}

/** Takes the last steps of a run, and ends it. */
async function finish(turn: OpenTurn): Promise<void> {
  await turn.append([result('b')])
  await turn.append([answer('Done.')])
  await end(turn)
}

async function runTurn(store: SessionStore, runId: string, onBusy: OnBusy = 'queue'): Promise<void> {
  const turn = await open(store, runId, { onBusy })
  await turn.append([answer(runId)])
  await end(turn)
}

async function end(turn: OpenTurn): Promise<void> {
  await turn.end('done', { totalTokens: 9 })
  turn.release()
}

async function statuses(store: SessionStore): Promise<string[]> {
  return (await store.turns(key)).map(({ runId, status }) => `${runId} ${status}`)
}

function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), sleep(20, false)])
}

function never(): AbortSignal {
  return new AbortController().signal
}

function user(content: string): UserMessage {
  return { role: 'user', content }
}

function answer(text: string): AssistantMessage {
  return { v: 1, role: 'assistant', content: [{ type: 'text', text }] }
}

function calls(...callIds: string[]): AssistantMessage {
  return {
    role: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'act', input: {} })),
  }
}

function result(callId: string): ToolMessage {
  return { role: 'tool', callId, name: 'act', content: `result of ${callId}` }
}

/** A message in a word: its text, or its calls. */
function textsOf(messages: readonly Message[] = []): string[] {
  return messages.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content
          .map((part) => (part.type === 'tool-call' ? part.callId : part.type === 'text' ? part.text : ''))
          .join(' '),
  )
}
