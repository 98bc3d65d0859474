import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent, type Citation, type Model, type Tool, tool } from '../index.ts'

const input = { type: 'object' }
async function run(execute: Tool['execute']) {
  const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.'])
  const act = tool({ name: 'act', description: 'd', input, execute })
  const { text, messages, finishReason } = await new Agent({ name: 'Test', functions: [act], model }).stream('Go')
    .result
  expect({ text, finishReason }).toEqual({ text: 'Done.', finishReason: 'stop' })
  return messages[2]
}

const passage: Citation = { file: 'a.md', start: 0, end: 1, quote: 'x', chunkId: 'c', score: { fused: 1 } }

const trap = (): never => {
  throw new Error('trapped')
}
const hostile = (): object => new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })

describe('a mistake of a tool is an error result, and the run continues', () => {
  it.each<[string, unknown]>([
    ['a citation without a quote', [{ file: 'a.md' }]],
    ['no list', { file: 'a.md' }],
    ['nothing', undefined],
    ['null in a list', [null]],
    ['a list of holes', new Array(2 ** 32 - 1)],
  ])('when it cites %s', async (_what, cited) => {
    const result = await run((_input, { cite }) => cite(cited as Citation[]))
    expect(result).toMatchObject({ isError: true, content: expect.stringContaining('Pass citations such as') })
  })

  it('but not when it cites more than a function takes arguments', async () => {
    const result = await run((_input, { cite }) => cite(new Array<Citation>(140_000).fill(passage)))
    expect(result).toMatchObject({ content: 'done' })
  })

  it('when it throws a proxy whose traps throw', async () => {
    const thrown = await run(() => {
      throw hostile()
    })
    expect(thrown).toMatchObject({ isError: true })
  })

  it.each<[string, () => unknown, string]>([
    ['a promise within a value', () => ({ a: Promise.reject(new Error('late')) }), 'await it first'],
    ['a blob', () => new Blob(['x']), 'blob.text()'],
    ['a stream', () => new ReadableStream(), 'a stream'],
    ['an iterable', () => new URLSearchParams('a=1'), 'a list of what it gives'],
    ['a Response within a value', () => [new Response('x')], 'response.json()'],
  ])('when it returns %s', async (_what, value, fix) => {
    expect(await run(value)).toMatchObject({ isError: true, content: expect.stringContaining(fix) })
  })
})

it.each<[string, () => unknown, string]>([
  ['a node of a list', () => ({ value: 1, next: () => ({ value: 2 }) }), '{"value":1}'],
  [
    'a page of results',
    () => {
      class Page {
        readonly items = ['a']
        next(): Promise<Page> {
          return Promise.resolve(new Page())
        }
      }
      return new Page()
    },
    '{"items":["a"]}',
  ],
])('a result with data and a method `next` is that data: %s', async (_what, value, content) => {
  expect(await run(value)).toMatchObject({ content })
})

it('a run that a tool returns gives its text; one within a value is not started', async () => {
  const model = scriptedModel(['Inner.'])
  const inner = new Agent({ name: 'Inner', functions: [], model })
  const nested = await run(() => ({ answer: inner.stream('Go') }))
  expect(nested).toMatchObject({ isError: true, content: expect.stringContaining('await its `result`') })
  expect(model.requests).toHaveLength(0)
  expect((await run(() => inner.stream('Go')))?.content).toBe('Inner.')
  expect(model.requests).toHaveLength(1)
})

it('a run that fails, returned by a tool, is an error result', async () => {
  const model: Model = {
    id: 'home/made',
    // biome-ignore lint/correctness/useYield: it fails before it answers.
    async *stream() {
      throw new Error('no power')
    },
  }
  const inner = new Agent({ name: 'Inner', functions: [], model, retry: { attempts: 1 } })
  const result = await run(() => inner.stream('Go'))
  expect(result).toMatchObject({ isError: true, content: expect.stringContaining('no power') })
})

it.each(['', 'I need your leave.'])(
  'a run that waits for approval is not a success, having said "%s"',
  async (text) => {
    let paid = 0
    const pay = tool({ name: 'pay', description: 'd', input, needsApproval: true, execute: () => paid++ })
    const model = scriptedModel([{ text, toolCalls: [{ name: 'pay' }] }])
    const inner = new Agent({ name: 'Inner', functions: [pay], model })
    const result = await run(() => inner.stream('Go'))
    expect(result).toMatchObject({
      isError: true,
      content: expect.stringMatching(/waits for approval of "[^"]+" \(pay\)/),
    })
    expect(result?.content).toContain('agent.resume("')
    expect(paid).toBe(0)
  },
)

it.each([
  ['of Node', () => Readable.from(['x'])],
  ['within a value', () => ({ body: Readable.from(['x']) })],
])('a stream %s is not read, and the model receives what to return', async (_what, value) => {
  const result = await run(value)
  expect(result).toMatchObject({ isError: true, content: expect.stringContaining('a stream: read it') })
})

it('serializing, copying or inspecting a run starts nothing', () => {
  const model = scriptedModel(['Inner.'])
  const inner = new Agent({ name: 'Inner', functions: [], model }).stream('Go')
  expect(JSON.stringify({ inner })).toBe(JSON.stringify({ inner: { runId: inner.runId } }))
  inspect(inner, { showHidden: true, depth: 5 })
  void { ...inner }
  expect(() => structuredClone(inner)).toThrow()
  expect(model.requests).toHaveLength(0)
})

it('refuses a schema that holds itself', () => {
  const schema: { type: string; properties: { self?: object } } = { type: 'object', properties: {} }
  schema.properties.self = schema
  expect(() => tool({ name: 'a', description: 'd', input: schema, execute() {} })).toThrow('holds itself')
})
