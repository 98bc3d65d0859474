import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { randomOf } from '../__fixtures__/random.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { AssistantMessage, UserMessage } from '../data/message.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { SessionKey, Turn } from '../data/session-data.ts'
import { validateTranscript, visibleMessages } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { memorySessions } from './memory-sessions.ts'
import { openTurn } from './open-turn.ts'
import { shareQueues } from './session-queue.ts'
import type { OpenTurn } from './turn.ts'

const key: SessionKey = { agentId: 'test', userId: 'ann', sessionId: 's' }
const busy = { code: 'session-busy', retryable: true, retryAfterMs: 1000 }

describe('a run that queues', () => {
  it('waits until earlier runs have released the session, in their order', async () => {
    const store = memorySessions()
    const order: string[] = []
    const runs = ['1', '2', '3'].map(async (runId) => {
      const { turn } = await start(store, runId)
      order.push(`${runId} begins`)
      await sleep(1)
      await turn.end('done', {})
      order.push(`${runId} ends`)
      turn.release()
    })
    await Promise.all(runs)
    expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends'])
  })

  it('waits for runs of other stores at the same place', async () => {
    const [store, other, elsewhere] = [memorySessions(), memorySessions(), memorySessions()]
    for (const each of [store, other]) shareQueues(each, '/data/sessions.db')
    const first = await start(store, '1')
    const second = startLater(other, '2')
    await finish(await start(elsewhere, '3'))
    expect(await settled(second.started)).toBe(false)
    await finish(first)
    await finish(await second.started)
  })

  it('is refused at once while the queue is full', async () => {
    const store = memorySessions()
    const first = await start(store, 'first')
    const waiting = Array.from({ length: limits.sessionQueue }, (_, index) => startLater(store, `waiting ${index}`))
    await expect(start(store, 'late')).rejects.toMatchObject({
      ...busy,
      message: '1000 runs wait for this session already. Try again when some of them have ended.',
    })
    waiting[500]?.abort()
    await expect(waiting[500]?.started).rejects.toMatchObject({ code: 'aborted' })
    const late = startLater(store, 'late')
    for (const { abort, started } of waiting) {
      abort()
      started.catch(() => {})
    }
    await finish(first)
    await finish(await late.started)
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['first', 'late'])
  })

  it('does not let those behind it start when it is aborted', async () => {
    const store = memorySessions()
    const first = await start(store, '1')
    const second = startLater(store, '2')
    const third = startLater(store, '3')
    second.abort()
    await expect(second.started).rejects.toMatchObject({ code: 'aborted' })
    expect(await settled(third.started)).toBe(false)
    await finish(first)
    await finish(await third.started)
    expect(await statuses(store)).toEqual(['1 done', '3 done'])
  })

  it('lets the next one in when it is aborted just as its turn comes', async () => {
    const store = memorySessions()
    const first = await start(store, '1')
    const second = startLater(store, '2')
    const third = startLater(store, '3')
    await first.turn.end('done', {})
    first.turn.release()
    second.abort()
    await expect(second.started).rejects.toMatchObject({ code: 'aborted' })
    await finish(await third.started)
  })

  it('may be released twice', async () => {
    const store = memorySessions()
    const first = await start(store, '1')
    const second = startLater(store, '2')
    const third = startLater(store, '3')
    await finish(first)
    const held = await second.started
    first.turn.release()
    expect(await settled(third.started)).toBe(false)
    await finish(held)
    await finish(await third.started)
  })
})

describe('a run that rejects', () => {
  it('begins when the queue is empty', async () => {
    const store = memorySessions()
    await finish(await start(store, '1'))
    await finish(await start(store, '2', 'reject'))
    expect(await statuses(store)).toEqual(['1 done', '2 done'])
  })

  it('is refused at once while another one holds the session', async () => {
    const store = memorySessions()
    const first = await start(store, '1')
    await expect(start(store, '2', 'reject')).rejects.toMatchObject(busy)
    await finish(first)
    expect(await statuses(store)).toEqual(['1 done'])
  })

  it('is refused at once while another one is about to hold it', async () => {
    const store = memorySessions()
    const first = startLater(store, '1')
    await expect(start(store, '2', 'reject')).rejects.toMatchObject(busy)
    await finish(await first.started)
  })

  it('is refused without waiting while a run of another process holds the session', async () => {
    const { store, attempts } = counting(memorySessions())
    const theirs = await start({ ...store }, 'theirs')
    attempts.length = 0
    await expect(start(store, 'mine', 'reject')).rejects.toMatchObject({
      ...busy,
      cause: { code: 'session-conflict' },
    })
    expect(attempts).toEqual(['mine', 'mine'])
    await finish(theirs)
    await finish(await start(store, 'again', 'reject'))
  })

  it('is not refused because a run of another process ended just now', async () => {
    const inner = memorySessions()
    let loads = 0
    const store: SessionStore = {
      ...inner,
      async load(...parameters) {
        const loaded = await inner.load(...parameters)
        if (loads++ === 0) await finish(await start(inner, 'theirs'))
        return loaded
      },
    }
    const mine = await start(store, 'mine', 'reject')
    expect(mine.turn.history).toHaveLength(2)
    await finish(mine)
  })
})

describe('a run that interrupts', () => {
  it('ends the one that holds the session and those that wait, and goes next', async () => {
    const store = memorySessions()
    const first = await start(store, '1')
    const second = startLater(store, '2')
    const third = startLater(store, '3')
    const newer = startLater(store, 'newer', 'interrupt')
    const behind = startLater(store, 'behind')
    for (const { started } of [second, third]) {
      await expect(started).rejects.toMatchObject({
        code: 'aborted',
        message: 'A newer message interrupted the run.',
      })
    }
    expect(first.signal.reason).toMatchObject({ code: 'aborted', message: 'A newer message interrupted the run.' })
    expect(await settled(newer.started)).toBe(false)
    await finish(first, 'failed')
    const held = await newer.started
    expect(await settled(behind.started)).toBe(false)
    await finish(held)
    await finish(await behind.started)
    expect(await statuses(store)).toEqual(['1 failed', 'newer done', 'behind done'])
  })

  it('leaves other sessions alone', async () => {
    const store = memorySessions()
    const other = await start(store, 'other', 'queue', { ...key, sessionId: 'other' })
    await finish(await start(store, '1', 'interrupt'))
    expect(other.signal.aborted).toBe(false)
    await finish(other)
  })

  it('interrupts each run once, however many come after it', async () => {
    const store = memorySessions()
    let interruptions = 0
    const controller = new AbortController()
    const interrupt = (): void => void interruptions++
    const first = await openTurn({ ...requestOf(store, '1', controller.signal), interrupt })
    const later = ['2', '3', '4'].map((runId) => startLater(store, runId, 'interrupt'))
    await expect(later[0]?.started).rejects.toMatchObject({ code: 'aborted' })
    await expect(later[1]?.started).rejects.toMatchObject({ code: 'aborted' })
    expect(interruptions).toBe(1)
    await first.end('failed', {})
    first.release()
    await finish(await (later[2] as Later).started)
  })

  it('is not refused by a full queue, as it empties it', async () => {
    const store = memorySessions()
    const first = await start(store, 'first')
    const waiting = Array.from({ length: limits.sessionQueue }, (_, index) => startLater(store, `waiting ${index}`))
    const newer = startLater(store, 'newer', 'interrupt')
    const outcomes = await Promise.allSettled(waiting.map(({ started }) => started))
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    await finish(first, 'failed')
    await finish(await newer.started)
  })

  it('waits for a run of another process', async () => {
    const store = memorySessions()
    const theirs = await start({ ...store }, 'theirs')
    const mine = startLater(store, 'mine', 'interrupt')
    expect(await settled(mine.started)).toBe(false)
    await finish(theirs)
    await finish(await mine.started)
    expect(theirs.signal.aborted).toBe(false)
  })
})

// Two stores over the same memory are two processes: each has a line of its own.
describe.each([1, 2])('200 parallel runs of one session in %i processes', (processes) => {
  it('that queue all end, as one linear, valid history', async () => {
    const turns = await runTogether(['queue'], false, 0)
    expect(turns.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 'done'))
  })

  it.each([1, 2, 3, 4, 5])('that queue, reject, interrupt or give up end as one as well (%i)', async (seed) => {
    const turns = await runTogether(
      [...Array.from({ length: 20 }, () => 'queue' as const), 'reject', 'interrupt'],
      true,
      seed,
    )
    expect(turns.some(({ status }) => status === 'done')).toBe(true)
  })

  async function runTogether(kinds: OnBusy[], givingUp: boolean, seed: number): Promise<Turn[]> {
    const { below: random } = randomOf(seed)
    const store = memorySessions()
    const stores = Array.from({ length: processes }, () => ({ ...store }))
    let holding = 0
    let atOnce = 0
    const seen = new Map<string, unknown>()
    const run = async (runId: string): Promise<string> => {
      await sleep(random(40))
      const later = startLater(stores[random(processes)] as SessionStore, runId, kinds[random(kinds.length)])
      if (givingUp && random(8) === 0) setTimeout(later.abort, random(30))
      let held: Started | undefined
      try {
        held = await later.started
        atOnce = Math.max(atOnce, ++holding)
        seen.set(runId, held.turn.history)
        await act(held, random(3))
        await held.turn.end('done', {})
        return 'done'
      } catch (error) {
        if (!held) return (error as { code: string }).code
        await held.turn.end('failed', {})
        return 'failed'
      } finally {
        if (held) holding--
        held?.turn.release()
      }
    }
    const runIds = Array.from({ length: 200 }, (_, index) => `run ${index}`)
    const outcomes = new Map(await Promise.all(runIds.map(async (runId) => [runId, await run(runId)] as const)))

    expect(atOnce).toBe(1)
    const turns = await store.turns(key)
    for (const [index, { runId, status }] of turns.entries()) {
      expect(status).toBe(outcomes.get(runId) === 'done' ? 'done' : 'failed')
      // One that was interrupted just as it began has seen nothing.
      if (seen.has(runId)) expect(seen.get(runId)).toEqual(turns.slice(0, index).flatMap(visibleMessages))
    }
    const begun = new Set(turns.map(({ runId }) => runId))
    expect(begun.size).toBe(turns.length)
    const others = runIds.filter((runId) => !begun.has(runId)).map((runId) => outcomes.get(runId))
    expect(others.filter((code) => code !== 'session-busy' && code !== 'aborted')).toEqual([])
    const { messages = [], version } = (await store.load(key)) ?? {}
    expect(validateTranscript(messages)).toEqual([])
    expect(version).toBe(turns.length * 2)
    return turns
  }
})

/** Some steps, until the run is ended. */
async function act({ turn, signal }: Started, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const callId = `call_${step}`
    const call: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'tool-call', callId, name: 'act', input: {} }],
    }
    await turn.append([call])
    await sleep(1)
    signal.throwIfAborted()
    await turn.append([{ role: 'tool', callId, name: 'act', content: 'acted' }])
  }
  await turn.append([{ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }])
  signal.throwIfAborted()
}

type Started = { turn: OpenTurn; signal: AbortSignal }
type Later = { started: Promise<Started>; abort(): void }

function start(store: SessionStore, runId: string, onBusy: OnBusy = 'queue', session = key): Promise<Started> {
  return startLater(store, runId, onBusy, session).started
}

function startLater(store: SessionStore, runId: string, onBusy: OnBusy = 'queue', session = key): Later {
  const controller = new AbortController()
  const { signal } = controller
  const interrupt = (reason: unknown): void => controller.abort(reason)
  const request = { ...requestOf(store, runId, signal), key: session, onBusy, interrupt }
  const started = openTurn(request).then((turn) => ({ turn, signal }))
  return { started, abort: () => controller.abort() }
}

function requestOf(store: SessionStore, runId: string, signal: AbortSignal) {
  const input: UserMessage = { role: 'user', content: runId }
  const { agentId, userId } = key
  return {
    store,
    key,
    agentId,
    userId,
    runId,
    input,
    seed: [],
    signal,
    onBusy: 'queue' as const,
    approvalMs: 86_400_000,
    interrupt() {},
  }
}

async function finish(started: Started, status: 'done' | 'failed' = 'done'): Promise<Started> {
  const { turn } = started
  if (status === 'done') await turn.append([{ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }])
  await turn.end(status, {})
  turn.release()
  return started
}

/** Whether a promise settles before everything that is due has had its turn. */
function settled(promise: Promise<unknown>): Promise<boolean> {
  const yes = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([yes, sleep(20, false)])
}

async function statuses(store: SessionStore): Promise<string[]> {
  return (await store.turns(key)).map(({ runId, status }) => `${runId} ${status}`)
}

function counting(inner: SessionStore): { store: SessionStore; attempts: string[] } {
  const attempts: string[] = []
  const begin: SessionStore['begin'] = (session, run) => {
    attempts.push(run.runId)
    return inner.begin(session, run)
  }
  return { store: { ...inner, begin }, attempts }
}
