import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type AgentRun,
  type Model,
  memorySessions,
  type RunOptions,
  tool,
} from '../../index.ts'

const bufferBytes = 262_144

describe('a run', () => {
  it('does nothing until it is started', async () => {
    const model = scriptedModel(['a'])
    const { signal } = new AbortController()
    const run = agentOf(model).stream('Go', { signal })
    await sleep(5)
    expect(model.requests).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(run.runId).toMatch(/^run_[0-9a-f-]{36}$/)
  })

  it('shows no secret of an error of a model in its events', async () => {
    const leak = new AgentKitError('auth', 'Incorrect key sk-secret-0123456789.')
    const events: AgentEvent[] = []
    const run = agentOf(scriptedModel([leak])).stream('Go')
    expect((await run.result).error?.message).toBe(leak.message)
    for await (const event of run) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', error: { message: 'Incorrect key [redacted].' } })
  })

  it('starts once, however often its result is read', async () => {
    const model = scriptedModel(['a', 'b'])
    const run = agentOf(model).stream('Go')
    expect(run.result).toBe(run.result)
    for await (const _event of run);
    expect((await run.result).text).toBe('a')
    expect(model.requests).toHaveLength(1)
  })

  it('shows every event when its result is read first and it is iterated in the same tick', async () => {
    const run = agentOf(scriptedModel(['abc'])).stream('Go')
    const result = run.result
    const events = await Array.fromAsync(run)
    expect(events[0]).toMatchObject({ seq: 1, type: 'run-start' })
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', text: (await result).text })
  })

  it('shows every event also when it is iterated after its end', async () => {
    const run = agentOf(scriptedModel(['abc'])).stream('Go')
    await run.result
    const events = await Array.fromAsync(run)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.at(-1)?.type).toBe('run-end')
  })

  it('has a result that never rejects', async () => {
    const run = agentOf(scriptedModel([new Error('down')])).stream('Go')
    await expect(run.result).resolves.toMatchObject({ finishReason: 'error', error: { code: 'provider-error' } })
  })

  it('that is not read runs to its end, and releases its session', async () => {
    const store = memorySessions()
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel([long(20), 'Next.']), sessions: store })
    const run = agent.stream('Go', { sessionId: 's' })
    void run.result
    expect(await agent.chat('Next', { sessionId: 's' })).toBe('Next.')
    expect(
      (await store.turns({ agentId: 'test', userId: 'default', sessionId: 's' })).map(({ status }) => status),
    ).toEqual(['done', 'done'])
  })
})

afterEach(() => void vi.useRealTimers())

describe('a reader', () => {
  it('that is slow holds the run back', async () => {
    const { model, spoken } = talkingModel(100)
    const run = agentOf(model).stream('Go')
    let read = 0
    let furthest = 0
    for await (const event of run) {
      if (event.type !== 'text-delta') continue
      read += event.text.length
      if (read % (10 * chunk.length) === 0) await sleep(1)
      furthest = Math.max(furthest, spoken() - read)
    }
    expect(read).toBe(100 * chunk.length)
    // What waits, one piece on its way in, and one that the model has ready.
    expect(furthest).toBeLessThanOrEqual(bufferBytes + 2 * chunk.length)
    expect(furthest).toBeGreaterThan(chunk.length)
  })

  it('that stops reading for ever holds the run at the same place', async () => {
    const { model, spoken } = talkingModel(1_000)
    const run = agentOf(model).stream('Go')
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await sleep(30)
    const held = spoken()
    expect(held).toBeGreaterThan(bufferBytes / 2)
    expect(held).toBeLessThanOrEqual(bufferBytes + 2 * chunk.length)
    await sleep(10)
    expect(spoken()).toBe(held)
    run.cancel()
    await run.result
  })

  it.each<[string, () => RunOptions, (run: AgentRun) => void, string]>([
    ['an abort', () => ({ signal: AbortSignal.timeout(40) }), () => {}, 'timeout'],
    ['a deadline', () => ({ timeoutMs: 40 }), () => {}, 'timeout'],
    ['cancel()', () => ({}), (run) => setTimeout(run.cancel, 40), 'aborted'],
  ])('that stops reading for ever does not keep %s from settling', async (_name, makeOptions, act, code) => {
    const store = memorySessions()
    const { model } = talkingModel(1_000)
    const agent = new Agent({ name: 'Test', functions: [], model, sessions: store })
    const run = agent.stream('Go', { sessionId: 's', ...makeOptions() })
    await run[Symbol.asyncIterator]().next()
    act(run)
    expect((await run.result).error?.code).toBe(code)
    const next = new Agent({ name: 'Test', functions: [], model: scriptedModel(['Next.']), sessions: store })
    expect(await next.chat('Next', { sessionId: 's' })).toBe('Next.')
  })

  it('that stops reading while results come does not keep a deadline from settling', async () => {
    const act = tool({ name: 'act', description: 'd', input: { type: 'object' }, execute: () => 'x'.repeat(200_000) })
    const model = scriptedModel([{ toolCalls: Array.from({ length: 6 }, () => ({ name: 'act' })) }, 'Done.'])
    // The agent imports the validator of the tool's input, which takes real time: fake timers do not wait for it.
    await import('@cfworker/json-schema')
    // On a busy machine, 40 ms may pass before the model is called.
    vi.useFakeTimers()
    const run = new Agent({ name: 'Test', functions: [act], model }).stream('Go', { timeoutMs: 40 })
    await run[Symbol.asyncIterator]().next()
    await vi.advanceTimersByTimeAsync(39)
    expect(model.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    const settled = await Promise.race([run.result, sleep(2_000, undefined)])
    expect(settled?.error?.code).toBe('timeout')
    expect(model.requests).toHaveLength(1)
  })

  it('that is held up reads on after the end, to the run-end', async () => {
    const { model } = talkingModel(1_000)
    const run = agentOf(model).stream('Go', { timeoutMs: 30 })
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await run.result
    const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => iterator })
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => index + 2))
    expect(rest.at(-1)).toMatchObject({ type: 'run-end', error: { code: 'timeout' } })
  })

  it('comes alone: a second one is refused', async () => {
    const run = agentOf(scriptedModel(['a'])).stream('Go')
    const first = Array.fromAsync(run)
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'invalid-argument' })
    expect((await first).at(-1)?.type).toBe('run-end')
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('that comes after 256 KB went unread gets an error, each time', async () => {
    const { model } = talkingModel(100)
    const run = agentOf(model).stream('Go')
    expect((await run.result).text).toHaveLength(100 * chunk.length)
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(Array.fromAsync(run)).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining('gone'),
      })
    }
  })

  it('gets large tool results counted too', async () => {
    const act = tool({
      name: 'act',
      description: 'd',
      input: { type: 'object' },
      execute: () => ({ list: Array.from({ length: 20_000 }, () => 'item') }),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }, { name: 'act' }, { name: 'act' }] }, 'Done.'])
    const run = new Agent({ name: 'Test', functions: [act], model }).stream('Go')
    await run.result
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('may ask for several events at once', async () => {
    const run = agentOf(scriptedModel([{ text: 'abc', deltas: 1 }])).stream('Go')
    const iterator = run[Symbol.asyncIterator]()
    const asked = await Promise.all(Array.from({ length: 7 }, () => iterator.next()))
    expect(asked.map(({ value }) => value?.type)).toEqual([
      'run-start',
      'step-start',
      'text-delta',
      'step-end',
      'run-end',
      undefined,
      undefined,
    ])
    expect(asked.map(({ done }) => done)).toEqual([false, false, false, false, false, true, true])
  })

  it('that leaves the loop cancels the run and releases the session', async () => {
    const seen: AbortSignal[] = []
    const turn: ScriptedTurn = (_request, signal) => {
      seen.push(signal)
      return { text: 'a long answer', delayMs: 50 }
    }
    const agent = agentOf(scriptedModel([turn, 'Next.']))
    const run = agent.stream('Go', { sessionId: 's' })
    for await (const event of run) if (event.type === 'text-delta') break
    expect(seen[0]?.aborted).toBe(true)
    expect(await run.result).toMatchObject({ finishReason: 'aborted', messages: [] })
    expect(await agent.chat('Next', { sessionId: 's' })).toBe('Next.')
  })

  it('that throws in the loop cancels the run too', async () => {
    const run = agentOf(scriptedModel([{ text: 'abc', delayMs: 50 }])).stream('Go')
    const loop = async (): Promise<void> => {
      for await (const _event of run) throw new Error('mine')
    }
    await expect(loop()).rejects.toThrow('mine')
    expect((await run.result).finishReason).toBe('aborted')
  })

  it('may leave twice, also while it waits, and after the end', async () => {
    const run = agentOf(scriptedModel([{ text: 'abc', delayMs: 50 }])).stream('Go')
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.next()
    const waits = iterator.next()
    expect(await Promise.all([iterator.return?.(), iterator.return?.()])).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    await waits
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect((await run.result).finishReason).toBe('aborted')
  })

  it('that has left gets nothing more, though events were waiting', async () => {
    const run = agentOf(scriptedModel(['abc'])).stream('Go')
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await run.result
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it('that leaves at the run-end does not change the end', async () => {
    const run = agentOf(scriptedModel(['abc'])).stream('Go')
    for await (const event of run) if (event.type === 'run-end') break
    expect((await run.result).finishReason).toBe('stop')
  })
})

const chunk = 'x'.repeat(10_000)

/** A model that answers in pieces of 10,000 characters, and counts them. */
function talkingModel(pieces: number): { model: Model; spoken(): number } {
  let spoken = 0
  const model: Model = {
    id: 'test/talking',
    async *stream() {
      for (let piece = 0; piece < pieces; piece++) {
        spoken += chunk.length
        yield { type: 'text-delta', text: chunk }
      }
      const text = chunk.repeat(pieces)
      yield {
        type: 'finish',
        reason: 'stop',
        usage: {},
        message: { role: 'assistant', content: [{ type: 'text', text }] },
      }
    },
  }
  return { model, spoken: () => spoken }
}

function agentOf(model: Model): Agent {
  return new Agent({ name: 'Test', functions: [], model })
}

function long(pieces: number): ScriptedTurn {
  return { text: chunk.repeat(100), deltas: pieces }
}
