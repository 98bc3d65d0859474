import { type ScriptedAnswer, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import {
  Agent,
  AgentKitError,
  type Message,
  memorySessions,
  type RunOptions,
  type SessionStore,
  tool,
  validateTranscript,
} from './index.ts'

const key = { agentId: 'test', userId: 'default', sessionId: 's' }

// Random conversations of several turns: texts, calls of tools that work, fail, hang and do not exist, broken answers,
// aborts, deadlines and a store that fails now and then. A failure names its seed, so that it can be run again.
it.each([0, 1, 2, 3])('stays valid, and open for the next turn, whatever happens (hundred %i)', async (hundred) => {
  await Promise.all(Array.from({ length: 100 }, (_, index) => converse(hundred * 100 + index)))
})

async function converse(seed: number): Promise<void> {
  const random = randomOf(seed)
  const store = memorySessions()
  const flaky = flakyStore(store, random)
  for (let turn = 0; turn < 4; turn++) {
    const before = await history(store)
    const controller = new AbortController()
    const model = scriptedModel([...randomTurns(random), 'The end.', 'The end.'])
    const agent = new Agent({
      name: 'Test',
      functions: makeTools(random, controller),
      model,
      sessions: flaky,
      toolTimeoutMs: 15,
      maxSteps: 5,
    })
    const options: RunOptions = { sessionId: 's', signal: controller.signal }
    if (random.oneIn(6)) options.timeoutMs = random.below(20) + 1
    const run = agent.stream(`question ${turn}`, options)
    const abortAfter = random.oneIn(3) ? random.below(25) : Number.POSITIVE_INFINITY
    const leaveAfter = random.oneIn(8) ? random.below(25) : Number.POSITIVE_INFINITY
    let last: string | undefined
    for await (const event of run) {
      last = event.type
      if (event.seq > abortAfter) controller.abort()
      if (event.seq > leaveAfter) break
    }
    const result = await run.result
    const where = `seed ${seed}, turn ${turn}`
    expect(leaveAfter < 25 || last === 'run-end', where).toBe(true)
    expect(validateTranscript(result.messages), where).toEqual([])
    for (const { messages } of model.requests) expect(validateTranscript(messages), where).toEqual([])
    flaky.rest()
    await nextTurnWorks(flaky, store, where)
    const after = await history(store)
    expect(after.slice(0, before.length), where).toEqual(before)
    flaky.resume()
  }
}

async function nextTurnWorks(flaky: SessionStore, store: SessionStore, where: string): Promise<void> {
  const model = scriptedModel(['Still here.'])
  const agent = new Agent({ name: 'Test', functions: [], model, sessions: flaky })
  expect(await agent.chat('Are you there?', { sessionId: 's', timeoutMs: 2_000 }), where).toBe('Still here.')
  const after = await history(store)
  expect(validateTranscript(after), where).toEqual([])
  expect(after.slice(0, -1), where).toEqual(model.requests[0]?.messages)
}

async function history(store: SessionStore): Promise<Message[]> {
  return (await store.load(key))?.messages ?? []
}

type Random = { below(limit: number): number; oneIn(count: number): boolean }

/** Numbers that look random and depend on the seed alone (xorshift). */
function randomOf(seed: number): Random {
  let state = (seed + 1) * 2_654_435_761
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  for (let warmUp = 0; warmUp < 8; warmUp++) below(1)
  return { below, oneIn: (count) => below(count) === 0 }
}

function randomTurns(random: Random): ScriptedTurn[] {
  return Array.from({ length: 1 + random.below(4) }, () => {
    const error = random.oneIn(2) ? new Error('down') : new AgentKitError('overloaded', 'Busy.', { retryable: true })
    if (random.oneIn(10)) return error
    const answer: ScriptedAnswer = { toolCalls: randomCalls(random) }
    if (random.oneIn(2)) answer.text = 'Some text.'
    if (random.oneIn(4)) answer.reasoning = 'Some thoughts.'
    if (random.oneIn(5))
      answer.finishReason = (['stop', 'length', 'content-filter', 'tool-calls'] as const)[random.below(4)] ?? 'stop'
    if (random.oneIn(10)) answer.error = error
    if (random.oneIn(6)) answer.delayMs = 1
    return answer
  })
}

function randomCalls(random: Random): NonNullable<ScriptedAnswer['toolCalls']> {
  const names = ['works', 'works', 'waits', 'fails', 'hangs', 'aborts', 'unknown']
  return Array.from({ length: random.below(4) }, (_, index) => {
    const name = names[random.below(names.length)] ?? 'works'
    // Now and then an id that other messages have too, or that another call of this message has.
    const callId = random.oneIn(12) ? 'twice' : random.oneIn(4) ? `call_${index}` : undefined
    return { name, ...(callId && { callId }), ...(random.oneIn(8) ? { inputText: '{"half' } : { input: { index } }) }
  })
}

function makeTools(random: Random, controller: AbortController): ReturnType<typeof tool>[] {
  const make = (name: string, execute: () => unknown): ReturnType<typeof tool> =>
    tool({ name, description: 'd', input: { type: 'object' }, execute })
  const wait = (): Promise<string> => {
    const ms = random.below(6)
    return new Promise((resolve) => setTimeout(resolve, ms, 'waited'))
  }
  return [
    make('works', () => ({ fine: true })),
    make('waits', wait),
    make('fails', () => {
      throw new Error('broken')
    }),
    make('hangs', () => new Promise(() => {})),
    make('aborts', async () => {
      if (random.oneIn(2)) controller.abort()
      return wait()
    }),
  ]
}

type FlakyStore = SessionStore & { rest(): void; resume(): void }

/** Fails one call in thirty, before or after it has done its work, unless it rests. */
function flakyStore(store: SessionStore, random: Random): FlakyStore {
  let resting = false
  const flaky = <Parameters extends unknown[], Value>(
    work: (...parameters: Parameters) => Promise<Value>,
  ): ((...parameters: Parameters) => Promise<Value>) => {
    return async (...parameters) => {
      const fails = !resting && random.oneIn(30)
      if (fails && random.oneIn(2)) throw new Error('disk full')
      const value = await work(...parameters)
      if (fails) throw new Error('connection lost')
      return value
    }
  }
  return {
    ...store,
    load: flaky(store.load),
    begin: flaky(store.begin),
    append: flaky(store.append),
    end: flaky(store.end),
    rest() {
      resting = true
    },
    resume() {
      resting = false
    },
  }
}
