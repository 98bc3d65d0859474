import { setTimeout as sleep } from 'node:timers/promises'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type AgentRun,
  type JSONSchema,
  type Model,
  type ModelEvent,
  tool,
} from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { type ScriptedTurn, scriptedModel } from '../scripted-model.ts'
import { temporaryFiles } from './__fixtures__/temporary-files.ts'
import { record } from './record.ts'
import { replay } from './replay.ts'

const newFile = temporaryFiles()
const retry = { firstWaitMs: 0, longestWaitMs: 0 }

/** Emits the events of its runs, each with the name of the agent. */
type Log = (run: AgentRun<unknown>) => Promise<string>
/** @param model one of the scene's, by its id */
type Scene = { models: Record<string, readonly ScriptedTurn[]>; play(model: (id: string) => Model, log: Log): unknown }

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  input: { type: 'object', properties: { city: { type: 'string' }, ms: { type: 'number' } } },
  execute: async ({ city, ms }) => {
    if (Number(ms) > 0) await sleep(Number(ms))
    return `Sunny in ${city}`
  },
})
const asks = (...cities: [string, number][]) => ({
  text: 'Let me look.',
  delayMs: 1,
  toolCalls: cities.map(([city, ms]) => ({ name: 'weather', input: { city, ms } })),
})

const scenes: Record<string, Scene> = {
  'tools, several at once': {
    models: { 'test/a': [asks(['Oslo', 8], ['Rome', 1]), asks(['Bern', 1]), 'Sunny everywhere.'] },
    play: (model, log) =>
      log(new Agent({ name: 'Guide', functions: [weather], model: model('test/a') }).stream('Weather?')),
  },
  'agents within agents': {
    models: {
      'test/chief': [
        {
          toolCalls: [
            { name: 'research', input: { topic: 'tides' } },
            { name: 'research', input: { topic: 'moons' } },
          ],
        },
        'Tides come from the moon.',
      ],
      'test/helper': [
        asks(['Brest', 0]),
        asks(['Io', 0]),
        { text: 'High tide.', delayMs: 2 },
        { text: 'Many moons.', delayMs: 1 },
      ],
    },
    play(model, log) {
      const helper = new Agent({ name: 'Helper', functions: [weather], model: model('test/helper') })
      const research = tool({
        name: 'research',
        description: 'Finds out.',
        input: { type: 'object', properties: { topic: { type: 'string' } } },
        execute: ({ topic }) => log(helper.stream(String(topic))),
      })
      const budget = { tokens: 100_000 }
      return log(
        new Agent({ name: 'Chief', functions: [research], model: model('test/chief'), budget }).stream('Tides?'),
      )
    },
  },
  'an answer that a tool takes': {
    models: {
      'test/a': [
        { toolCalls: [{ name: 'final_answer', input: { city: 'Oslo' } }], delayMs: 1 },
        { toolCalls: [{ name: 'final_answer', input: { city: 'Oslo', sunny: true } }], delayMs: 1, deltas: 9 },
      ],
    },
    play(model, log) {
      const output: JSONSchema = { type: 'object', properties: { sunny: { type: 'boolean' } }, required: ['sunny'] }
      return log(new Agent({ name: 'Guide', functions: [], model: model('test/a'), output }).stream('Weather?'))
    },
  },
  'attempts that fail': {
    models: {
      'test/a': [
        new AgentKitError('overloaded', 'Busy.', { status: 503, provider: 'test', model: 'a', requestId: 'req_1' }),
        { text: 'Half an ans', error: new AgentKitError('incomplete-stream', 'The stream ended early.') },
        Object.assign(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) })),
        'A whole answer.',
      ],
    },
    play: (model, log) =>
      log(new Agent({ name: 'Guide', functions: [], model: model('test/a'), retry }).stream('Hello')),
  },
  'a model that takes over': {
    models: {
      'test/a': [new AgentKitError('quota', 'Nothing left.', { status: 429 }), 'Not asked.'],
      'test/b': ['Here I am.'],
    },
    play: (model, log) =>
      log(
        new Agent({ name: 'Guide', functions: [], model: [model('test/a'), model('test/b')], retry }).stream('Hello'),
      ),
  },
  'a failure': {
    models: { 'test/a': [new AgentKitError('auth', 'The key is wrong.', { status: 401 })] },
    play: (model, log) => log(new Agent({ name: 'Guide', functions: [], model: model('test/a') }).stream('Hello')),
  },
  'an answer of a form': {
    models: { 'test/a': ['{"city": 5}', '{"city": "Oslo"}'] },
    play(model, log) {
      const output: JSONSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
      return log(new Agent({ name: 'Guide', functions: [], model: model('test/a'), output }).stream('Where?'))
    },
  },
  'reasoning and warnings': {
    models: { 'test/a': [{ reasoning: 'Hm, a greeting.', text: 'Hello!', warnings: ['No temperature.'] }] },
    play: (model, log) => log(new Agent({ name: 'Guide', functions: [], model: model('test/a') }).stream('Hello')),
  },
  'a run that its reader aborts': {
    models: { 'test/a': [{ text: 'One two three four', deltas: 18, delayMs: 2 }] },
    async play(model, log) {
      const abort = new AbortController()
      const run = new Agent({ name: 'Guide', functions: [], model: model('test/a') }).stream('Count', {
        signal: abort.signal,
      })
      let received = 0
      await log(Object.assign(run, { tap: () => ++received === 6 && abort.abort() }))
    },
  },
  'a run that its deadline ends': {
    models: { 'test/a': [asks(['Oslo', 1]), { text: 'Never received', delayMs: 60_000 }] },
    play: (model, log) =>
      log(
        new Agent({ name: 'Guide', functions: [weather], model: model('test/a'), timeoutMs: 300 }).stream('Weather?'),
      ),
  },
  'a race in which the first answer ends the others': {
    models: Object.fromEntries(
      [9, 3, 6].map((delayMs, index) => [`test/${index}`, [{ text: 'Me first, I say', deltas: 15, delayMs }]]),
    ),
    async play(model, log) {
      const race = new AbortController()
      const runners = [0, 1, 2].map((index) => {
        const agent = new Agent({ name: `Runner ${index}`, functions: [], model: model(`test/${index}`) })
        return log(agent.stream('Go', { signal: race.signal })).then((text) => {
          race.abort()
          return text
        })
      })
      await Promise.allSettled(runners)
    },
  },
  // If the total order matters, tools take no time, because a replay runs them again with other timing.
  'a swarm that speaks at once': {
    models: {
      'test/swarm': Array.from({ length: 12 }, (_, index): ScriptedTurn => {
        const delayMs = 1 + ((index * 5) % 4)
        return index < 6
          ? { ...asks([`City ${index}`, 0]), delayMs }
          : { text: `It is sunny, and ${index} degrees.`, deltas: 5, delayMs }
      }),
    },
    play: (model, log) => {
      const agents = ['A', 'B', 'C', 'D', 'E', 'F'].map(
        (name) => new Agent({ name, functions: [weather], model: model('test/swarm') }),
      )
      return Promise.all(agents.map((agent, index) => log(agent.stream(index < 3 ? 'Weather?' : `Weather ${index}?`))))
    },
  },
}

describe('a recorded run replays event for event, without its models:', () => {
  it.each(Object.entries(scenes))('%s', async (_, { models, play }) => {
    const file = newFile()
    const recorded = new Map(
      Object.entries(models).map(([id, turns]) => [id, record(scriptedModel(turns, { id, info: {} }), file)]),
    )
    const first = await logOf((log) => play((id) => recorded.get(id) as Model, log))
    const cassette = replay(file)
    const second = await logOf((log) => play(cassette.model, log))
    expect(second).toEqual(first)
    expect(first.length).toBeGreaterThan(2)
  })
})

/** All events of all runs in order, without what differs in each run. */
async function logOf(play: (log: Log) => unknown): Promise<unknown[]> {
  const events: unknown[] = []
  await play(async (run) => {
    for await (const event of run) {
      events.push(settled(event))
      if ('tap' in run && typeof run.tap === 'function') run.tap()
    }
    return (await run.result).text
  })
  return events
}

function settled({ runId: _, ...event }: AgentEvent): unknown {
  return 'durationMs' in event ? { ...event, durationMs: 0 } : event
}

it('replays opaque data, so its owner receives it again', async () => {
  const opaque = { owner: 'test/thinker', data: { signature: 'c2lnbmVk', parts: [1, 2] } }
  const reasoning = { type: 'reasoning' as const, text: 'Hm.', opaque }
  const asked: unknown[] = []
  const thinker: Model = {
    id: 'test/thinker',
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      asked.push(messages)
      const call = { callId: `call_${Math.random()}`, name: 'weather', input: { city: 'Oslo', ms: 0 } }
      const isAnswer = messages.length > 1
      if (!isAnswer) yield { type: 'tool-call', ...call }
      const text = { type: 'text' as const, text: 'Sunny.' }
      yield {
        type: 'finish',
        reason: isAnswer ? 'stop' : 'tool-calls',
        usage: {},
        message: { role: 'assistant', content: isAnswer ? [text] : [reasoning, { type: 'tool-call', ...call }] },
      }
    },
  }
  const file = newFile()
  const chat = (model: Model) =>
    new Agent({ name: 'Guide', functions: [weather], model }).stream('Weather?').result.then(({ messages }) => messages)
  const messages = await chat(record(thinker, file))
  expect(await chat(replay(file))).toEqual(messages)
  expect(asked).toHaveLength(2)
  expect(messages[1]).toMatchObject({ content: [reasoning, { type: 'tool-call' }] })
})
