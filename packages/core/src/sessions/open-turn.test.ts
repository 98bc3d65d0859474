import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  Agent,
  AgentKitError,
  type Message,
  type Model,
  memorySessions,
  type SessionKey,
  type SessionStore,
  type Tool,
  tool,
  validateTranscript,
} from '../index.ts'

const key: SessionKey = { agentId: 'test', userId: 'default', sessionId: 's' }
const inSession = { sessionId: 's' }
const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'acted' })
const callAct: ScriptedTurn = { toolCalls: [{ name: 'act' }] }
const conflict = (): AgentKitError => new AgentKitError('session-conflict', 'Another run holds the session.')

afterEach(() => void vi.useRealTimers())

describe('a session', () => {
  it('gives each turn the ones before it', async () => {
    const model = scriptedModel([callAct, 'First.', 'Second.'])
    const agent = agentOf(model)
    const first = await agent.stream('1', inSession).result
    await agent.chat('2', inSession)
    expect(model.requests[2]?.messages).toEqual([...first.messages, { v: 1, role: 'user', content: '2' }])
    expect(first.messages).toHaveLength(4)
  })

  it('is not kept without a sessionId', async () => {
    const model = scriptedModel(['First.', 'Second.'])
    const store = memorySessions()
    const agent = agentOf(model, store)
    await agent.chat('1')
    await agent.chat('2')
    expect(model.requests[1]?.messages).toEqual([{ v: 1, role: 'user', content: '2' }])
    expect(await store.list({ agentId: 'test', userId: 'default' })).toEqual([])
  })

  it('belongs to one user, one agent, one sessionId', async () => {
    const store = memorySessions()
    await agentOf(scriptedModel(['a']), store).chat('1', { userId: 'a', sessionId: 'b_c' })
    const others = [
      { name: 'Test', userId: 'a_b', sessionId: 'c' },
      { name: 'Test', userId: 'default', sessionId: 'b_c' },
      { name: 'Test', userId: 'a', sessionId: 'B_C' },
      { name: 'Other', userId: 'a', sessionId: 'b_c' },
    ]
    for (const { name, ...options } of others) {
      const model = scriptedModel(['b'])
      await new Agent({ name, functions: [], model, sessions: store }).chat('2', options)
      expect(model.requests[0]?.messages).toHaveLength(1)
    }
  })

  it('is one for two agents of one id that share a store', async () => {
    const store = memorySessions()
    const model = scriptedModel([
      async () => {
        await sleep(20)
        return 'First.'
      },
      'Second.',
    ])
    const chats = [agentOf(model, store).chat('1', inSession), agentOf(model, store).chat('2', inSession)]
    expect(await Promise.all(chats)).toEqual(['First.', 'Second.'])
    expect(model.requests[1]?.messages).toHaveLength(3)
  })

  it('queues 50 chats at once as one list of turns', async () => {
    const store = memorySessions()
    let conflicts = 0
    const counted: SessionStore = {
      ...store,
      begin: (...parameters) =>
        store.begin(...parameters).catch((error) => {
          conflicts++
          throw error
        }),
    }
    const answer: ScriptedTurn = async ({ messages }) => {
      await sleep(1)
      return `answer to ${String(messages.at(-1)?.content)}`
    }
    const agent = agentOf(scriptedModel(Array.from({ length: 50 }, () => answer)), counted)
    const questions = Array.from({ length: 50 }, (_, index) => `question ${index}`)
    const answers = await Promise.all(questions.map((question) => agent.chat(question, inSession)))
    expect(answers).toEqual(questions.map((question) => `answer to ${question}`))
    expect(conflicts).toBe(0)
    const { messages = [] } = (await store.load(key)) ?? {}
    expect(validateTranscript(messages)).toEqual([])
    expect(messages.map(textOf)).toEqual(questions.flatMap((question) => [question, `answer to ${question}`]))
  })

  it('runs beside other sessions, not behind them', async () => {
    const slow: ScriptedTurn = { text: 'slow', delayMs: 50 }
    const agent = agentOf(scriptedModel([slow, 'quick']))
    const order: string[] = []
    await Promise.all([
      agent.chat('1', { sessionId: 'a' }).then((text) => order.push(text)),
      agent.chat('2', { sessionId: 'b' }).then((text) => order.push(text)),
    ])
    expect(order).toEqual(['quick', 'slow'])
  })
})

describe('the seed', () => {
  const history: Message[] = [
    { role: 'user', content: 'Earlier' },
    { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
  ]

  it('begins a session that has no history, and is kept with it', async () => {
    const model = scriptedModel(['First.', 'Second.'])
    const agent = agentOf(model)
    await agent.chat('1', { ...inSession, history })
    await agent.chat('2', inSession)
    expect(model.requests[0]?.messages.map(textOf)).toEqual(['Earlier', 'Yes.', '1'])
    expect(model.requests[1]?.messages.map(textOf)).toEqual(['Earlier', 'Yes.', '1', 'First.', '2'])
  })

  it('is ignored by a session that has one', async () => {
    const model = scriptedModel(['First.', 'Second.'])
    const agent = agentOf(model)
    await agent.chat('1', inSession)
    await agent.chat('2', { ...inSession, history })
    expect(model.requests[1]?.messages.map(textOf)).toEqual(['1', 'First.', '2'])
  })

  it('is taken when the run is created: its list may grow before the run begins', async () => {
    const model = scriptedModel(['First.'])
    const list = [...history]
    const run = agentOf(model).stream('1', { history: list })
    list.push({ role: 'user', content: '1' })
    await run.result
    expect(model.requests[0]?.messages.map(textOf)).toEqual(['Earlier', 'Yes.', '1'])
  })

  it('begins a session again whose only turn has failed', async () => {
    const model = scriptedModel([new Error('down'), 'Second.'])
    const agent = agentOf(model)
    await agent.stream('1', { ...inSession, history }).result
    await agent.chat('2', { ...inSession, history })
    expect(model.requests[1]?.messages.map(textOf)).toEqual(['Earlier', 'Yes.', '2'])
  })
})

describe('the journal', () => {
  it('stores each finished entry before the next one begins', async () => {
    const log: string[] = []
    const store = loggingStore(memorySessions(), log)
    const slow = (name: string, ms: number): Tool =>
      tool({
        name,
        description: 'd',
        input: { type: 'object' },
        async execute() {
          await sleep(ms)
          log.push(`${name} ran`)
        },
      })
    const turn =
      (answer: ScriptedTurn): ScriptedTurn =>
      () => {
        log.push('model asked')
        return answer
      }
    const model = scriptedModel([turn({ toolCalls: [{ name: 'slow' }, { name: 'quick' }] }), turn('Done.')])
    const agent = new Agent({ name: 'Test', functions: [slow('slow', 30), slow('quick', 5)], model, sessions: store })
    await agent.chat('Go', inSession)
    expect(log).toEqual([
      'load',
      'begin user',
      'model asked',
      'append assistant',
      'quick ran',
      'append tool:quick',
      'slow ran',
      'append tool:slow',
      'model asked',
      'append assistant',
      'end done',
    ])
  })

  it('keeps the usage of a turn, also of a failed one', async () => {
    const store = memorySessions()
    const agent = agentOf(scriptedModel(['First.', callAct, new Error('down')]), store)
    await agent.chat('1', inSession)
    await agent.stream('2', inSession).result
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
    expect(await store.turns(key)).toMatchObject([
      { status: 'done', usage },
      { status: 'failed', usage },
    ])
  })

  it('hides a failed turn that finished no call', async () => {
    const model = scriptedModel(['First.', new Error('down'), 'Third.'])
    const agent = agentOf(model)
    await agent.chat('1', inSession)
    await agent.stream('2', inSession).result
    await agent.chat('3', inSession)
    expect(model.requests[2]?.messages.map(textOf)).toEqual(['1', 'First.', '3'])
  })

  it('keeps the finished calls of a failed turn, with the reason', async () => {
    const model = scriptedModel([callAct, new AgentKitError('auth', 'No.'), 'Second.'])
    const agent = agentOf(model)
    await agent.stream('1', inSession).result
    await agent.chat('2', inSession)
    expect(model.requests[2]?.messages.map(textOf)).toEqual(['1', 'act()', 'acted', '[stopped: auth]', '2'])
  })
})

describe('a store that fails', () => {
  const failures: [string, unknown, string][] = [
    ['an error of its own', new Error('disk full'), 'storage'],
    ['an AgentKitError', new AgentKitError('unsupported', 'Read only.'), 'unsupported'],
    ['a string', 'disk full', 'storage'],
    ['nothing at all', undefined, 'storage'],
  ]
  const methods = ['load', 'begin', 'append', 'end'] as const

  it.each(methods.flatMap((method) => failures.map((failure) => [method, ...failure] as const)))(
    'at %s with %s ends the run, and the next one works',
    async (method, _name, thrown, code) => {
      const { store, fail } = failingStore()
      const agent = agentOf(scriptedModel([callAct, 'First.', callAct, 'Second.', 'Third.']), store)
      fail[method] = thrown
      const failed = agent.stream('1', inSession)
      expect(await failed.result).toMatchObject({ finishReason: 'error', error: { code, runId: failed.runId } })
      delete fail[method]
      const { text, error } = await agent.stream('2', { ...inSession, timeoutMs: 2_000 }).result
      expect(error).toBeUndefined()
      expect(text).not.toBe('')
      expect(validateTranscript((await store.load(key))?.messages ?? [])).toEqual([])
    },
  )

  it.each(['load', 'begin', 'append', 'end'] as const)('at %s by throwing ends the run as well', async (method) => {
    const store = { ...memorySessions() }
    store[method] = () => {
      throw new Error('not connected')
    }
    const { error } = await agentOf(scriptedModel(['a']), store).stream('1', inSession).result
    expect(error).toMatchObject({ code: 'storage', cause: { message: 'not connected' } })
  })

  it('by throwing, when calls had finished, ends the run as well', async () => {
    const inner = memorySessions()
    let down = false
    const store: SessionStore = {
      ...inner,
      append(...parameters) {
        if (down) throw new Error('not connected')
        return inner.append(...parameters)
      },
    }
    const failing: ScriptedTurn = () => {
      down = true
      return 'First.'
    }
    const agent = agentOf(scriptedModel([callAct, failing, 'Second.']), store)
    const { error, messages } = await agent.stream('1', inSession).result
    expect(error).toMatchObject({ code: 'storage', cause: { message: 'not connected' } })
    expect(messages.map(textOf)).toEqual(['1', 'act()', 'acted', '[stopped: storage]'])
    down = false
    expect(await agent.chat('2', { ...inSession, timeoutMs: 2_000 })).toBe('Second.')
  })

  it('when it stores a result runs no further call, and stops the others', async () => {
    const started: string[] = []
    const signals: AbortSignal[] = []
    const work = tool({
      name: 'work',
      description: 'd',
      input: { type: 'object' },
      async execute(_input, { callId, signal }) {
        started.push(callId)
        signals.push(signal)
        await sleep(callId === 'call_1' ? 5 : 40)
      },
    })
    const inner = memorySessions()
    let appends = 0
    const store: SessionStore = {
      ...inner,
      append: (...parameters) =>
        ++appends === 2 ? Promise.reject(new Error('disk full')) : inner.append(...parameters),
    }
    const model = scriptedModel([{ toolCalls: Array.from({ length: 12 }, () => ({ name: 'work' })) }])
    const agent = new Agent({ name: 'Test', functions: [work], model, sessions: store })
    expect((await agent.stream('1', inSession).result).error?.code).toBe('storage')
    expect(signals.slice(1).every(({ aborted }) => aborted)).toBe(true)
    const before = started.length
    await sleep(60)
    expect(started).toHaveLength(before)
    expect(started.length).toBeLessThanOrEqual(8)
  })

  it('also when it keeps the stop-note from being stored does not lock the session', async () => {
    const { store, fail } = failingStore()
    const model = scriptedModel([
      callAct,
      () => {
        fail.append = new Error('disk full')
        return 'First.'
      },
      'Second.',
    ])
    const agent = agentOf(model, store)
    expect((await agent.stream('1', inSession).result).error?.code).toBe('storage')
    delete fail.append
    expect(await agent.chat('2', { ...inSession, timeoutMs: 2_000 })).toBe('Second.')
    expect(model.requests[2]?.messages.map(textOf)).toEqual(['1', 'act()', 'acted', '[stopped: interrupted]', '2'])
  })

  it('by losing the answer to a begin that it granted does not lock the session', async () => {
    const inner = memorySessions()
    let lost = 0
    const store: SessionStore = {
      ...inner,
      async begin(...parameters) {
        await inner.begin(...parameters)
        if (++lost === 1) throw new Error('connection lost')
      },
    }
    const agent = agentOf(scriptedModel(['Second.']), store)
    expect((await agent.stream('1', inSession).result).error?.code).toBe('storage')
    expect(await agent.chat('2', { ...inSession, timeoutMs: 2_000 })).toBe('Second.')
  })

  it('by losing the answer to an end that it stored does not lose the turn', async () => {
    const inner = memorySessions()
    let lost = 0
    const store: SessionStore = {
      ...inner,
      async end(...parameters) {
        await inner.end(...parameters)
        if (++lost === 1) throw new Error('connection lost')
      },
    }
    const model = scriptedModel(['First.', 'Second.'])
    const agent = agentOf(model, store)
    expect((await agent.stream('1', inSession).result).error?.code).toBe('storage')
    expect(await agent.chat('2', { ...inSession, timeoutMs: 2_000 })).toBe('Second.')
    expect(model.requests[1]?.messages.map(textOf)).toEqual(['1', 'First.', '2'])
  })

  it.each(['load', 'begin', 'append', 'end'] as const)('by hanging at %s does not keep a deadline', async (method) => {
    const store = { ...memorySessions() }
    store[method] = () => new Promise<never>(() => {})
    const agent = agentOf(scriptedModel(['a']), store)
    const result = agent.stream('1', { ...inSession, timeoutMs: 20 }).result
    const settled = await Promise.race([result, sleep(1_000, 'hangs')])
    expect(settled).toMatchObject({ error: { code: 'timeout' } })
  })

  it.each(['load', 'begin', 'append', 'end'] as const)(
    'by hanging at %s does not keep a budget of seconds',
    async (method) => {
      const store = { ...memorySessions() }
      store[method] = () => new Promise<never>(() => {})
      const agent = agentOf(scriptedModel(['a']), store)
      const result = agent.stream('1', { ...inSession, budget: { seconds: 0.02 } }).result
      const settled = await Promise.race([result, sleep(1_000, 'hangs')])
      expect(settled).toMatchObject({ finishReason: 'budget' })
    },
  )

  it('reveals no secret', async () => {
    const { store, fail } = failingStore()
    fail.load = new Error('connect postgres: Bearer abcdefgh12345678')
    const { error } = await agentOf(scriptedModel(['a']), store).stream('1', inSession).result
    expect(error?.message).not.toContain('abcdefgh12345678')
  })
})

describe('a run that waits for its session', () => {
  it('uses none of its budget of seconds meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { promise, resolve } = Promise.withResolvers<string>()
    const model = scriptedModel([() => promise, 'Second.'])
    const agent = agentOf(model)
    const first = agent.chat('1', inSession)
    const second = agent.stream('2', { ...inSession, budget: { seconds: 1 } }).result
    await vi.advanceTimersByTimeAsync(5_000)
    expect(model.requests).toHaveLength(1)
    resolve('First.')
    await first
    expect(await second).toMatchObject({ finishReason: 'stop', text: 'Second.' })
  })

  it('uses its budget of seconds once it has the session', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { promise, resolve } = Promise.withResolvers<string>()
    const model = scriptedModel([() => promise, () => new Promise<never>(() => {})])
    const agent = agentOf(model)
    const first = agent.chat('1', inSession)
    const second = agent.stream('2', { ...inSession, budget: { seconds: 1 } }).result
    await vi.advanceTimersByTimeAsync(5_000)
    resolve('First.')
    await first
    await vi.waitFor(() => expect(model.requests).toHaveLength(2))
    await vi.advanceTimersByTimeAsync(1_250)
    expect(await second).toMatchObject({ finishReason: 'budget' })
  })
})

describe('a session that another process holds', () => {
  it('is waited for', async () => {
    const store = memorySessions()
    await store.begin(key, { runId: 'theirs', expectedVersion: 0, input: [{ role: 'user', content: 'theirs' }] })
    const model = scriptedModel(['Mine.'])
    const chat = agentOf(model, store).chat('mine', inSession)
    await sleep(30)
    expect(model.requests).toEqual([])
    await store.append('theirs', [{ role: 'assistant', content: [{ type: 'text', text: 'Theirs.' }] }])
    await store.end('theirs', 'done')
    expect(await chat).toBe('Mine.')
    expect(model.requests[0]?.messages.map(textOf)).toEqual(['theirs', 'Theirs.', 'mine'])
  })

  it('is waited for without the budget of seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const store = memorySessions()
    await store.begin(key, { runId: 'theirs', expectedVersion: 0, input: [{ role: 'user', content: 'theirs' }] })
    const agent = agentOf(scriptedModel(['Mine.']), store)
    const mine = agent.stream('mine', { ...inSession, budget: { seconds: 1 } }).result
    await vi.advanceTimersByTimeAsync(3_000)
    await store.end('theirs', 'done')
    await vi.advanceTimersByTimeAsync(250)
    expect(await mine).toMatchObject({ finishReason: 'stop', text: 'Mine.' })
  })

  it('is waited for no longer than 5 s, with few attempts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    let attempts = 0
    const store: SessionStore = {
      ...memorySessions(),
      async begin() {
        attempts++
        throw conflict()
      },
    }
    const model = scriptedModel(['never'])
    const run = agentOf(model, store).stream('mine', inSession)
    let settled = false
    const result = run.result.finally(() => {
      settled = true
    })
    await vi.advanceTimersByTimeAsync(4_900)
    expect(settled).toBe(false)
    await vi.advanceTimersByTimeAsync(500)
    expect(settled).toBe(true)
    expect((await result).error).toMatchObject({ code: 'session-busy', retryable: true, retryAfterMs: 1000 })
    expect(model.requests).toEqual([])
    expect(attempts).toBeGreaterThan(10)
    expect(attempts).toBeLessThan(100)
  })

  it('is given up when the run is aborted', async () => {
    const store: SessionStore = { ...memorySessions(), begin: () => Promise.reject(conflict()) }
    const run = agentOf(scriptedModel(['never']), store).stream('mine', { ...inSession, timeoutMs: 30 })
    expect((await run.result).error?.code).toBe('timeout')
  })

  it('keeps the order of later runs when one in the queue is aborted', async () => {
    const inner = memorySessions()
    let conflicts = 0
    const store: SessionStore = {
      ...inner,
      begin: (...parameters) =>
        inner.begin(...parameters).catch((error) => {
          conflicts++
          throw error
        }),
    }
    const agent = agentOf(scriptedModel([{ text: 'First.', delayMs: 30 }, 'Third.']), store)
    const first = agent.chat('1', inSession)
    const second = agent.stream('2', { ...inSession, timeoutMs: 5 }).result
    expect((await second).error?.code).toBe('timeout')
    const third = agent.chat('3', inSession)
    expect(await Promise.all([first, third])).toEqual(['First.', 'Third.'])
    expect(conflicts).toBe(0)
  })
})

function agentOf(model: Model, sessions: SessionStore = memorySessions()): Agent {
  return new Agent({ name: 'Test', functions: [act], model, sessions })
}

type Failing = { store: SessionStore; fail: { [method in 'load' | 'begin' | 'append' | 'end']?: unknown } }

/** A store whose methods reject with what stands under their name in `fail`. */
function failingStore(): Failing {
  const inner = memorySessions()
  const fail: Failing['fail'] = {}
  const guarded = <Parameters extends unknown[], Value>(
    method: keyof Failing['fail'],
    work: (...parameters: Parameters) => Promise<Value>,
  ): ((...parameters: Parameters) => Promise<Value>) => {
    return (...parameters) => (method in fail ? Promise.reject(fail[method]) : work(...parameters))
  }
  const store: SessionStore = {
    ...inner,
    load: guarded('load', inner.load),
    begin: guarded('begin', inner.begin),
    append: guarded('append', inner.append),
    end: guarded('end', inner.end),
  }
  return { store, fail }
}

function loggingStore(store: SessionStore, log: string[]): SessionStore {
  const names = (messages: Message[]): string =>
    messages.map((message) => (message.role === 'tool' ? `tool:${message.name}` : message.role)).join()
  return {
    ...store,
    load(...parameters) {
      log.push('load')
      return store.load(...parameters)
    },
    begin(sessionKey, run) {
      log.push(`begin ${names(run.input)}`)
      return store.begin(sessionKey, run)
    },
    append(runId, messages) {
      log.push(`append ${names(messages)}`)
      return store.append(runId, messages)
    },
    end(runId, status, usage) {
      log.push(`end ${status}`)
      return store.end(runId, status, usage)
    },
  }
}

/** A message in a word: its text, or its calls. */
function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'text' ? part.text : part.type === 'tool-call' ? `${part.name}()` : ''))
    .join('')
}
