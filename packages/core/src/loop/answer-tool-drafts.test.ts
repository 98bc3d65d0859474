import { type ScriptedAnswer, type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { randomOf } from '../__fixtures__/random.ts'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type AgentOptions,
  type Model,
  type ModelEvent,
  tool,
} from '../index.ts'
import { limits } from '../limits.ts'

const Plan = z.object({ title: z.string(), steps: z.array(z.object({ name: z.string(), minutes: z.number() })) })
const plan = {
  title: 'Tea',
  steps: [
    { name: 'Boil', minutes: 3 },
    { name: 'Pour', minutes: 1 },
  ],
}
const misfit = { title: 'Coffee', steps: 'none' }
const text = JSON.stringify(plan)

const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
const answers = (input: object, more: ScriptedAnswer = {}): ScriptedAnswer => {
  return { toolCalls: [{ name: 'final_answer', input: input as typeof plan }], deltas: 20, ...more }
}

function planner(model: Model, options: Partial<Omit<AgentOptions<z.infer<typeof Plan>>, 'model'>> = {}) {
  const retry = { attempts: 2, firstWaitMs: 0 }
  return new Agent({ name: 'Planner', functions: [], model, output: Plan, retry, ...options })
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(structuredClone(value))
  return all
}

/** Events without their places: `text {"title":` and the types of the others. */
function shown(events: readonly AgentEvent[]): string[] {
  const lines: string[] = []
  for (const event of events) {
    const isMore = event.type === 'text-delta' && lines.at(-1)?.startsWith('text ')
    if (isMore) lines.push(`${lines.pop()}${event.text}`)
    else lines.push(event.type === 'text-delta' ? `text ${event.text}` : event.type)
  }
  return lines
}

async function follow(turns: readonly ScriptedTurn[], options?: Parameters<typeof planner>[1]) {
  const model = scriptedModel(turns)
  const run = planner(model, options).stream('Tea')
  const events = await collect(run)
  return { model, events, lines: shown(events), result: await run.result }
}

/** A model that writes this text as the arguments of its answer, in these pieces. */
function writing(pieces: readonly string[]): Model {
  return {
    id: 'test/writing',
    async *stream() {
      const whole = pieces.join('')
      for (const piece of pieces) yield { type: 'tool-input-delta', callId: 'c', text: piece }
      const call = { type: 'tool-call', callId: 'c', name: 'final_answer', input: JSON.parse(whole) } as const
      yield call
      yield { type: 'finish', reason: 'tool-calls', usage: {}, message: { v: 1, role: 'assistant', content: [call] } }
    },
  }
}

describe('drafts of an output that a tool takes', () => {
  it('grow until they are the answer, which is emitted once', async () => {
    const drafts = await collect(
      planner(scriptedModel([answers(plan)]))
        .stream('Tea')
        .partials(),
    )
    expect(drafts.length).toBeGreaterThan(5)
    expect(drafts.at(-1)).toEqual(plan)
    const { lines, events, result, model } = await follow([answers(plan)])
    expect(model.requests[0]?.answerTool).toBe('final_answer')
    expect(lines).toEqual(['run-start', 'step-start', `text ${text}`, 'step-end', 'run-end'])
    expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(5)
    expect([result.text, result.output]).toEqual([text, plan])
  })

  it('give the elements of a list as they are written', async () => {
    const elements = planner(scriptedModel([answers(plan)]))
      .stream('Tea')
      .elements('steps')
    expect(await collect(elements)).toEqual(plan.steps)
  })

  it('come after other calls, and without the text that the model writes beside the answer', async () => {
    const turns = [{ toolCalls: [{ name: 'look' }] }, answers(plan, { text: 'Here it is.' })]
    const { lines, result } = await follow(turns, { functions: [look] })
    expect(lines.slice(-4)).toEqual(['step-start', `text ${text}`, 'step-end', 'run-end'])
    expect(result.text).toBe(text)
  })

  it('are withdrawn where the answer does not fit', async () => {
    const { lines, result } = await follow([answers(misfit), answers(plan)])
    const rejected = ['step-start', `text ${JSON.stringify(misfit)}`, 'step-restart', 'step-end']
    expect(lines).toEqual(['run-start', ...rejected, 'step-start', `text ${text}`, 'step-end', 'run-end'])
    expect(result.output).toEqual(plan)
    const drafts = await collect(
      planner(scriptedModel([answers(misfit), answers(plan)]))
        .stream('Tea')
        .partials(),
    )
    expect(drafts.at(-1)).toEqual(plan)
  })

  it.each<[string, string[]]>([
    ['after', ['look', 'final_answer']],
    ['before', ['final_answer', 'look']],
  ])('are no answer %s another call', async (_, names) => {
    const beside = { toolCalls: names.map((name) => ({ name, input: name === 'look' ? {} : plan })), deltas: 9 }
    const { lines, result } = await follow([beside, answers(plan)], { functions: [look] })
    const begun = names[0] === 'look' ? [] : [`text ${text}`, 'step-restart']
    const steps = ['step-start', ...begun, 'tool-call', 'tool-result', 'step-end']
    expect(lines).toEqual(['run-start', ...steps, 'step-start', `text ${text}`, 'step-end', 'run-end'])
    expect(result.output).toEqual(plan)
  })

  it('are those of the last answer, of several', async () => {
    const { toolCalls = [] } = answers(plan)
    const other = { title: 'Coffee', steps: [] }
    const twice = { toolCalls: [...(answers(other).toolCalls ?? []), ...toolCalls] }
    const { lines, result } = await follow([twice])
    expect(lines.slice(2, -2)).toEqual([`text ${JSON.stringify(other)}`, 'step-restart', `text ${text}`])
    expect(result.text).toBe(text)
  })

  it('begin again with a step that is tried again', async () => {
    const error = new AgentKitError('network', 'gone', { retryable: true })
    const { lines } = await follow([answers({ title: 'Coffee' }, { error }), answers(plan)])
    expect(lines.slice(2, 5)).toEqual(['text {"title":"Coffee"}', 'step-restart', `text ${text}`])
  })

  it('are the partial answer of a run that is aborted meanwhile', async () => {
    const stopped = {
      ...writing([]),
      async *stream(_: unknown, signal: AbortSignal): AsyncGenerator<ModelEvent> {
        yield { type: 'tool-input-delta', callId: 'c', text: '{ "title": "Te' }
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }
    const run = planner(stopped).stream('Tea')
    const events: AgentEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'text-delta') run.cancel()
    }
    const { finishReason, text, messages } = await run.result
    expect([finishReason, text, messages]).toEqual([
      'aborted',
      '{"title":"Te',
      expect.not.arrayContaining([{ role: 'assistant' }]),
    ])
    expect(shown(events)).toEqual(['run-start', 'step-start', 'text {"title":"Te', 'run-end'])
    await expect(collect(planner(stopped, { timeoutMs: 20 }).stream('Tea').partials())).rejects.toMatchObject({
      code: 'timeout',
    })
  })

  it('are bounded as any answer', async () => {
    const piece = 'x'.repeat(100_000)
    const endless = {
      ...writing([]),
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { type: 'tool-input-delta', callId: 'c', text: '{"title":"' }
        for (;;) yield { type: 'tool-input-delta', callId: 'c', text: piece }
      },
    }
    const run = planner(endless).stream('Tea')
    let chars = 0
    for await (const event of run) if (event.type === 'text-delta') chars += event.text.length
    expect((await run.result).error).toMatchObject({ code: 'malformed-stream', retryable: false })
    expect(chars).toBeGreaterThan(limits.replyChars - piece.length)
    expect(chars).toBeLessThanOrEqual(limits.replyChars + piece.length)
    // The arguments count once, not as pieces and as a call.
    const long = { title: 'x'.repeat(limits.replyChars * 0.6), steps: [] }
    expect((await follow([answers(long)])).result.output).toEqual(long)
  })

  it.each<[string, Parameters<typeof planner>[1]]>([
    ['`output`', { hooks: { output: ({ text }) => ({ text: text.replace('Tea', 'Water') }) } }],
    ['`afterModel`', { hooks: { afterModel: (message) => message } }],
  ])('are one with the hook %s', async (_, options) => {
    const model = scriptedModel([answers(plan)])
    const drafts = await collect(planner(model, options).stream('Tea').partials())
    expect([drafts.length, model.requests[0]?.answerTool]).toEqual([1, undefined])
    // A model may send pieces that it was not asked for.
    expect(
      await collect(
        planner(writing([text.slice(0, 9), text.slice(9)]), options)
          .stream('Tea')
          .partials(),
      ),
    ).toHaveLength(1)
  })

  it('cost nothing where no one reads them', async () => {
    const model: ScriptedModel = scriptedModel([answers(plan), 'Tea', 'Tea'])
    expect(await planner(model).chat('Tea')).toBe(text)
    const plain = new Agent({ name: 'Plain', functions: [look], model })
    await collect(plain.stream('Tea'))
    await plain.chat('Tea')
    expect(model.requests.map(({ answerTool }) => answerTool)).toEqual([undefined, undefined, undefined])
  })

  it.each([0, 1, 2, 3, 4])('have the text of the answer, however the model writes it (seed %i)', async (seed) => {
    const random = randomOf(seed)
    const title = `Té ${'😀"\\\n'.repeat(random.below(4))}/`
    const whole = JSON.stringify({ ...plan, title }, undefined, random.below(4)).replaceAll('é', '\\u00e9')
    const cuts = Array.from({ length: 30 }, () => random.below(whole.length)).sort((one, other) => one - other)
    const pieces = [...cuts, whole.length].map((at, index) => whole.slice(index === 0 ? 0 : cuts[index - 1], at))
    for (const parts of [pieces, whole.split('')]) {
      const run = planner(writing(parts)).stream('Tea')
      const lines = shown(await collect(run))
      expect(lines).toEqual([
        'run-start',
        'step-start',
        `text ${JSON.stringify({ ...plan, title })}`,
        'step-end',
        'run-end',
      ])
      const drafts = await collect(planner(writing(parts)).stream('Tea').partials())
      expect(drafts.at(-1)).toEqual(JSON.parse(whole))
    }
  })

  it('are emitted again where the answer is written in another form', async () => {
    const twice = '{"title":"Coffee","steps":[],"title":"Tea"}'
    const run = planner(writing([twice])).stream('Tea')
    const lines = shown(await collect(run))
    expect(lines.slice(2, -2)).toEqual([`text ${twice}`, 'step-restart', 'text {"title":"Tea","steps":[]}'])
    expect((await run.result).text).toBe('{"title":"Tea","steps":[]}')
  })
})
