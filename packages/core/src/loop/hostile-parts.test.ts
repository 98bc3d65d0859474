import { inspect } from 'node:util'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import {
  Agent,
  AgentKitError,
  type AgentOptions,
  type Hooks,
  type Knowledge,
  type Model,
  type RunResult,
  type StandardSchema,
  tool,
} from '../index.ts'

function trap(): never {
  throw new Error('trapped')
}
// It can be awaited: it is met where it is looked at.
function hostile(): object {
  const get = (_target: object, key: string | symbol): unknown => (key === 'then' ? undefined : trap())
  const traps = { get, has: trap, getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap }
  return new Proxy({}, traps)
}
const withGetters = (): never =>
  Object.defineProperties(new Error('x'), {
    message: { get: trap },
    name: { get: trap },
    cause: { get: trap },
    status: { get: trap },
    code: { get: trap },
  }) as never

const thrown: [string, () => unknown][] = [
  ['a proxy whose traps throw', hostile],
  ['an error whose getters throw', withGetters],
  ['undefined', () => undefined],
  ['null', () => null],
  ['a text', () => 'broken'],
  ['a symbol', () => Symbol('broken')],
]

const act = () => tool({ name: 'act', description: 'd', input: { type: 'object' }, execute: () => 'acted' })
const usual = (): Model => scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.'])

async function run(options: Partial<AgentOptions>): Promise<RunResult> {
  const agent = new Agent({ name: 'Test', functions: [act()], model: usual(), retry: { attempts: 1 }, ...options })
  const { result } = agent.stream('Go')
  const ended = await result
  // Whatever was thrown, the error can be looked at and logged.
  expect(() => inspect(ended.error?.message) + JSON.stringify(ended.error)).not.toThrow()
  return ended
}

describe('a model that throws', () => {
  it.each(thrown)('%s ends the run in provider-error', async (_what, value) => {
    const model: Model = {
      id: 'home/made',
      // biome-ignore lint/correctness/useYield: it fails before it answers.
      async *stream() {
        throw value()
      },
    }
    const { error, finishReason } = await run({ model })
    expect(finishReason).toBe('error')
    expect(error).toMatchObject({ code: 'provider-error', provider: 'home', model: 'made' })
    expect(error?.message).toMatch(/^The model "home\/made" failed: \S/)
  })

  it.each(thrown)('%s when it is asked, is loaded, or is read', async (_what, value) => {
    const fail = (): never => {
      throw value()
    }
    const iterating = { [Symbol.asyncIterator]: fail }
    const next = { [Symbol.asyncIterator]: () => ({ next: fail }) }
    for (const stream of [fail, () => iterating, () => next, () => hostile() as never]) {
      const { error } = await run({ model: { id: 'home/made', stream } })
      expect(['provider-error', 'malformed-stream']).toContain(error?.code)
    }
  })

  const empty = { role: 'assistant', content: [] }

  it.each<[string, () => unknown]>([
    ['that is a proxy', hostile],
    ['whose getters throw', () => Object.defineProperty({}, 'type', { get: trap })],
    ['whose message is a proxy', () => ({ type: 'finish', reason: 'stop', usage: {}, message: hostile() })],
    ['whose usage is a proxy', () => ({ type: 'finish', reason: 'stop', usage: hostile(), message: empty })],
    ['whose arguments are a proxy', () => ({ type: 'tool-call', callId: 'a', name: 'act', input: hostile() })],
  ])('an event %s ends it in a failure of the model', async (_what, event) => {
    const model: Model = {
      id: 'home/made',
      async *stream() {
        yield event() as never
      },
    }
    const { error } = await run({ model })
    expect(['provider-error', 'malformed-stream']).toContain(error?.code)
  })
})

describe('a hook', () => {
  const names = ['input', 'beforeModel', 'afterModel', 'output'] as const

  it.each(names.flatMap((name) => thrown.map(([what, value]) => [name, what, value] as const)))(
    '`%s` that throws %s ends the run in invalid-config',
    async (name, _what, value) => {
      const hooks: Hooks = {
        [name]: () => {
          throw value()
        },
      }
      const { error } = await run({ hooks })
      expect(error).toMatchObject({ code: 'invalid-config' })
      expect(error?.message).toContain(`The hook \`${name}\` failed`)
    },
  )

  const returned: [string, () => unknown][] = [
    ['a proxy', hostile],
    ['a promise of a proxy', () => Promise.resolve({ block: hostile() })],
    ['a number', () => 5],
    ['a text', () => 'no'],
    ['a function', () => () => 'no'],
    ['a bigint', () => 1n],
    ['a list', () => [1]],
  ]
  it.each(names.flatMap((name) => returned.map(([what, value]) => [name, what, value] as const)))(
    '`%s` that returns %s ends the run in invalid-config, saying what to return',
    async (name, _what, value) => {
      const { error } = await run({ hooks: { [name]: value } as Hooks })
      expect(error).toMatchObject({ code: 'invalid-config' })
      expect(error?.message).toMatch(/Return .*, \{ block: "why" \}, or nothing/)
    },
  )

  const circle: { self?: unknown } = {}
  circle.self = circle
  const data: [string, unknown][] = [
    ['a bigint', 1n],
    ['a function', () => 'no'],
    ['a circle', circle],
    ['a proxy', hostile()],
  ]
  it.each(data)('`beforeTool` that returns %s as input fails its call', async (_what, input) => {
    const { messages, text } = await run({ hooks: { beforeTool: (call) => ({ ...call, input }) } })
    expect(text).toBe('Done.')
    expect(messages[2]).toMatchObject({ isError: true, content: expect.stringContaining('beforeTool') })
  })

  it.each([...thrown, ...returned].map(([what, value]) => [what, value] as const))(
    'of a tool that throws or returns %s fails its call alone',
    async (_what, value) => {
      for (const name of ['beforeTool', 'afterTool']) {
        const failing = (): never => {
          throw value()
        }
        const { text, messages } = await run({ hooks: { [name]: failing } as Hooks })
        expect({ text, result: messages[2] }).toMatchObject({ text: 'Done.', result: { isError: true } })
        const other = await run({ hooks: { [name]: value } as Hooks })
        expect(other.text).toBe('Done.')
      }
    },
  )

  it.each(names.slice(0, 3).flatMap((name) => data.map(([what, value]) => [name, what, value] as const)))(
    '`%s` that puts %s into what it returns ends the run in invalid-config',
    async (name, _what, value) => {
      const { error, messages } = await run({
        hooks: {
          [name]: (given: object) => ({ ...given, extra: value, content: [{ type: 'text', text: 'x', value }] }),
        },
      })
      if (error) expect(error.code).toBe('invalid-config')
      expect(() => JSON.stringify(messages)).not.toThrow()
    },
  )
})

describe('knowledge', () => {
  const knowing = (knowledge: object): Promise<RunResult> =>
    run({
      knowledge: {
        sync: async () => ({}),
        files: async () => [],
        tools: () => [],
        close: async () => {},
        ...knowledge,
      } as unknown as Knowledge,
    })

  const broken: [string, () => unknown][] = [
    [
      'throws a proxy',
      () => {
        throw hostile()
      },
    ],
    [
      'throws undefined',
      () => {
        throw undefined
      },
    ],
    [
      'throws a text',
      () => {
        throw 'broken'
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['rejects with a proxy', () => Promise.reject(hostile())],
  ]
  const odd: [string, () => unknown][] = [
    ['returns nothing', () => undefined],
    ['returns null', () => null],
    ['returns a number', () => 5],
    ['returns a proxy', hostile],
  ]

  it.each(broken)('whose `sync` %s ends the run with its failure', async (_what, sync) => {
    const { error } = await knowing({ sync })
    expect(error?.code).toBe('tool-error')
    expect(error?.message).toContain('`sync`')
  })

  it.each([...broken, ...odd])('whose `files` %s ends the run with its failure', async (_what, files) => {
    const { error } = await knowing({ files, sync: () => Promise.reject(new Error('no disk')) })
    expect(['tool-error', 'invalid-config']).toContain(error?.code)
    expect(error?.message).toContain('`files`')
  })

  it.each<[string, () => unknown]>([
    ...broken.slice(0, 3),
    ...odd,
    ['returns what is not a tool', () => [{ name: 'x' }]] as const,
    ['returns null in a list', () => [null]] as const,
    ['returns a promise', async () => [act()]] as const,
  ])('whose `tools` %s ends the run as what failed', async (_what, tools) => {
    const { error } = await knowing({ tools })
    expect(['tool-error', 'invalid-config', 'invalid-argument']).toContain(error?.code)
    expect(error?.message).toContain('tools')
  })

  it('keeps the code of an error of its own', async () => {
    const failing = new AgentKitError('unreadable-file', 'No such folder.')
    expect((await knowing({ sync: () => Promise.reject(failing) })).error?.code).toBe('unreadable-file')
  })
})

describe('a rule', () => {
  it.each(thrown)('of approval that throws %s lets nothing pass', async (_what, value) => {
    const guarded = tool({
      ...{ name: 'act', description: 'd', input: { type: 'object' } },
      needsApproval: () => {
        throw value()
      },
      execute: () => 'acted',
    })
    expect(await run({ functions: [guarded] })).toMatchObject({ finishReason: 'approval' })
  })

  it('of approval that returns a proxy lets nothing pass', async () => {
    const guarded = tool({
      ...{ name: 'act', description: 'd', input: { type: 'object' }, execute: () => 'acted' },
      needsApproval: () => hostile() as never,
    })
    expect(await run({ functions: [guarded] })).toMatchObject({ finishReason: 'approval' })
  })
})

describe('a schema of the output', () => {
  const schemaOf = (validate: unknown): StandardSchema<unknown, undefined> =>
    ({
      '~standard': { version: 1, vendor: 'home', validate, jsonSchema: { input: () => ({ type: 'object' }) } },
    }) as unknown as StandardSchema<unknown, undefined>

  it.each<[string, () => unknown]>([
    ...thrown.map(([what, value]): [string, () => unknown] => [
      `throws ${what}`,
      () => {
        throw value()
      },
    ]),
    ['returns a proxy', hostile],
    ['returns nothing', () => undefined],
    ['returns issues that are a proxy', () => ({ issues: hostile() })],
    ['returns issues that are none', () => ({ issues: [null, 5] })],
  ])('that %s finds no answer that fits', async (_what, validate) => {
    const { error, finishReason } = await run({
      functions: [],
      model: scriptedModel(['{"a":1}', '{"a":1}', '{"a":1}', '{"a":1}']),
      output: schemaOf(validate),
    })
    expect(finishReason).toBe('error')
    expect(error?.code).not.toBe('storage')
  })

  it.each<[string, unknown]>([
    ['a proxy', hostile()],
    ['a bigint', 1n],
  ])('that makes %s of the answer ends no run as a failure of the store', async (_what, value) => {
    const { error } = await run({
      functions: [],
      model: scriptedModel(['{"a":1}']),
      output: schemaOf(() => ({ value })),
    })
    expect(error?.code).not.toBe('storage')
  })
})
