import { scriptedModel } from '@agentkit/testing'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import * as transcript from '../data/transcript.ts'
import {
  Agent,
  type Tool,
  type ToolContext,
  type ToolFunction,
  type ToolLike,
  tool,
  toolFromFunction,
  toolOfFunction,
} from '../index.ts'

const input = { type: 'object' }
const execute = (): string => 'ok'

describe('tool()', () => {
  it('makes a plain tool', () => {
    const schema = z.object({ city: z.string() })
    const made = tool({ name: 'weather', description: 'The weather.', input: schema, execute, timeoutMs: 5 })
    expect(made).toEqual({ name: 'weather', description: 'The weather.', inputSchema: schema, execute, timeoutMs: 5 })
    expectTypeOf(made).toEqualTypeOf<Tool>()
  })

  it.each(['a', 'A1', '_private', 'get_weather-2', 'x'.repeat(64), 'constructor', '__proto__'])(
    'takes the name %s',
    (name) => {
      expect(tool({ name, description: 'd', input, execute }).name).toBe(name)
    },
  )

  it.each([
    '',
    '1st',
    '-a',
    'get weather',
    'a.b',
    'wéather',
    'x'.repeat(65),
    'a\n',
    undefined as unknown as string,
    7 as unknown as string,
  ])('refuses the name %j', (name) => {
    expect(() => tool({ name, description: 'd', input, execute })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('letter or "_"') }),
    )
  })

  it('refuses unknown options: a misspelt guard would be ignored', () => {
    const options = { name: 'pay', description: 'd', input, execute, needApproval: true }
    expect(() => tool(options)).toThrow(
      'Tool "pay": a tool has no option "needApproval". Did you mean "needsApproval"? There are: name, ',
    )
  })

  it('says that a tool has no name, instead of one that is "undefined"', () => {
    const { name: _, ...unnamed } = { name: 'look', description: 'd', input, execute }
    // `as never`: options of users in JavaScript, which the types refuse.
    expect(() => tool({ ...unnamed, id: 'look' } as never)).toThrow('A tool without a `name`: `id` is `name` here.')
    expect(() => tool(unnamed as never)).toThrow('A tool without a `name`: a name has 1 to 64 letters')
  })

  it.each<[string, object, string]>([
    ['no description', { description: undefined }, 'description'],
    ['no input', { input: undefined }, 'input'],
    ['an input of null', { input: null }, 'input'],
    ['an input of text', { input: 'city' }, 'input'],
    ['no execute', { execute: undefined }, 'execute'],
    ['no time', { timeoutMs: 0 }, 'timeoutMs'],
    ['negative time', { timeoutMs: -1 }, 'timeoutMs'],
    ['a time that is not a number', { timeoutMs: Number.NaN }, 'timeoutMs'],
    ['a time that no timer can wait', { timeoutMs: 2 ** 31 }, 'timeoutMs'],
    ['endless time', { timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
    ['an approval of text', { needsApproval: 'false' }, '`needsApproval` is true, false, or a function'],
    ['an approval of null', { needsApproval: null }, '`needsApproval` is true, false, or a function'],
    ['a text that says whether it may run twice', { idempotent: 'false' }, '`idempotent` is true or false'],
    ['a text that says whether its result is kept', { keepResult: 'false' }, '`keepResult` is true or false'],
    ['a result that only clients give', { output: input }, '`client` is true or left out'],
  ])('refuses %s, naming the tool', (_name, wrong, word) => {
    const options = { name: 'act', description: 'd', input, execute, ...wrong }
    expect(() => tool(options)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(`^Tool "act": .*${word}`) }),
    )
  })

  it('infers the input of `execute` from its schema', () => {
    tool({
      name: 'a',
      description: 'd',
      input: z.object({ city: z.string(), days: z.number().default(1), at: z.string().transform(Number) }),
      execute(value, context) {
        expectTypeOf(value).toEqualTypeOf<{ city: string; days: number; at: number }>()
        expectTypeOf(context).toEqualTypeOf<ToolContext>()
      },
    })
    tool({
      name: 'b',
      description: 'd',
      input: z3.object({ city: z3.string(), days: z3.number().default(1) }),
      execute: (value) => expectTypeOf(value).toEqualTypeOf<{ city: string; days: number }>(),
    })
    tool({
      name: 'c',
      description: 'd',
      input: v.object({ city: v.string(), days: v.optional(v.number(), 1) }),
      execute: (value) => expectTypeOf(value).toEqualTypeOf<{ city: string; days: number }>(),
    })
    tool({
      name: 'd',
      description: 'd',
      input: type({ city: 'string', 'days?': 'number' }),
      execute: (value) => expectTypeOf(value).toEqualTypeOf<{ city: string; days?: number }>(),
    })
    tool({
      name: 'e',
      description: 'd',
      input: { type: 'object', properties: {} },
      execute: (value) => expectTypeOf(value).toEqualTypeOf<Record<string, unknown>>(),
    })
    // @ts-expect-error the schema has no such field
    tool({ name: 'f', description: 'd', input: z.object({ city: z.string() }), execute: ({ town }) => town })
    // @ts-expect-error nor has it this one
    tool({ name: 'f', description: 'd', input: z.object({ city: z.string() }), execute: (value: Payment) => value })
    // @ts-expect-error a model calls a tool with an object
    tool({ name: 'f', description: 'd', input: z.string(), execute: () => {} })
    // @ts-expect-error nor with a list
    tool({ name: 'f', description: 'd', input: z.array(z.string()), execute: () => {} })
    // @ts-expect-error nor with a tuple
    tool({ name: 'f', description: 'd', input: z.tuple([z.string()]), execute: () => {} })
    tool({ name: 'f', description: 'd', input: z.record(z.string(), z.number()), execute: () => {} })
    tool({ name: 'f', description: 'd', input: z.looseObject({ city: z.string() }), execute: () => {} })
    // `any` and `unknown` do not say what they take.
    tool({ name: 'f', description: 'd', input: z.any(), execute: () => {} })
  })
})

interface Payment {
  euros: number
}

it('believes the types of the functions of a JSON Schema, which has none', () => {
  const options = {
    name: 'pay',
    description: 'd',
    input: { type: 'object', properties: { euros: { type: 'number' } } },
  }
  const isLarge = ({ euros }: Payment): boolean => euros > 50
  const isAnything = (value: unknown): boolean => value !== undefined
  tool({ ...options, execute: ({ euros }: Payment) => euros, needsApproval: isLarge })
  tool({ ...options, execute: ({ euros }: { euros: number }) => euros, needsApproval: ({ euros }) => euros > 50 })
  tool({ ...options, execute: (value) => expectTypeOf(value).toEqualTypeOf<Payment>(), needsApproval: isLarge })
  tool({ ...options, execute: ({ euros }) => expectTypeOf(euros).toEqualTypeOf<unknown>(), needsApproval: isAnything })
  // @ts-expect-error a model calls a tool with an object
  tool({ ...options, execute: (euros: string) => euros })
  // @ts-expect-error one says that it is text, the other that it is a number
  tool({ ...options, execute: ({ euros }: { euros: string }) => euros.trim(), needsApproval: isLarge })
})

describe('toolFromFunction()', () => {
  it('returns the tool that is attached to a function', () => {
    const carried = tool({ name: 'act', description: 'Acts.', input, execute })
    expect(toolFromFunction(Object.assign(() => 'called', { [toolOfFunction]: carried }))).toBe(carried)
  })

  it.each<[string, unknown, string]>([
    ['a function that carries none', function act() {}, 'The function "act" carries no schema'],
    ['a class', class Act {}, 'Act is a class, not a function. Give the agent its methods'],
    ['a tool', tool({ name: 'act', description: 'd', input, execute }), 'this is of type object'],
    ['a text', 'act', 'this is of type string'],
    ['null', null, 'this is null'],
  ])('refuses %s', (_name, value, problem) => {
    expect(() => toolFromFunction(value as ToolFunction)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(problem) }),
    )
  })
})

describe('the functions of an agent', () => {
  const agentWith = (functions: ToolLike[]): Agent =>
    new Agent({ name: 'Test', functions, model: scriptedModel(['a']) })

  it('must have unique names', () => {
    const twice = [
      tool({ name: 'act', description: 'd', input, execute }),
      tool({ name: 'act', description: 'e', input, execute }),
    ]
    expect(() => agentWith(twice)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('"act"') }),
    )
  })

  it('may be tools made with tool(), which are checked as well', () => {
    expect(() => agentWith([{ name: 'act', description: 'd', inputSchema: input, execute }])).not.toThrow()
    expect(() => agentWith([{ name: 'no good', description: 'd', inputSchema: input, execute }])).toThrow(
      'Tool "no good"',
    )
  })

  it.each<[object, string]>([
    [{ instruction: ['Look.'] }, '`instruction` is a text.'],
    [{ isEnabled: false }, '`isEnabled` is a function of the run.'],
  ])('must not be tools with %o', (wrong, problem) => {
    const made = { name: 'act', description: 'd', inputSchema: input, execute, ...wrong }
    const wrongTool = made as unknown as Tool // as from JavaScript
    expect(() => agentWith([wrongTool])).toThrow(`Tool "act": ${problem}`)
  })

  it.each([null, undefined, 7, 'act', {}])('must not be %j', (item) => {
    expect(() => agentWith([item as unknown as Tool])).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it('may be functions with an attached tool', async () => {
    const carried = tool({ name: 'act', description: 'Acts.', input, execute: () => 'acted' })
    const act: ToolFunction = Object.assign(() => 'called', { [toolOfFunction]: carried })
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.'])
    const { messages } = await new Agent({ name: 'Test', functions: [act], model }).stream('Go').result
    expect(messages[2]).toMatchObject({ role: 'tool', name: 'act', content: 'acted' })
  })

  it('must not be functions without a schema: the error says how to add one', () => {
    function getWeather(city: string): string {
      return city
    }
    expect(() => agentWith([getWeather])).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringMatching(
          /^The function "getWeather" carries no schema.*--import agentkit\/register.*agentkit tools build.*tool\(\{/,
        ),
      }),
    )
    expect(() => agentWith([() => 'x'])).toThrow('functions[0] without a name carries no schema')
  })

  it.each([
    [
      'undefined',
      undefined,
      /^functions\[1\] is neither a function nor a tool, but of type undefined\. Where modules import/,
    ],
    ['null', null, /^functions\[1\] is .* but null\.$/],
    ['a text', 'act', /^functions\[1\] is .* but of type string: pass the function itself, not its name or result\.$/],
    [
      'a promise of a tool',
      Promise.resolve(),
      /^functions\[1\] is .* but a Promise: await it, or where a function was called pass the function itself\.$/,
    ],
    [
      'an object of functions',
      { act: () => 'x' },
      /^functions\[1\] is .* but an object of functions: list the functions themselves, such as by Object\.values\(…\) of a module\.$/,
    ],
    ['a module with functions', transcript, /^functions\[1\] is .* but an object of functions: list the functions/],
    ['an object of something else', { a: 1, b() {} }, /^functions\[1\] is .* but an object without `name`/],
  ])('are not %s', (_what, item, message) => {
    const act = tool({ name: 'act', description: 'd', input, execute })
    expect(() => agentWith([act, item as never])).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(message) }),
    )
  })

  it('have the line of the plugin in their error in Vitest, which loads files past `register`', () => {
    const line =
      "plugins: [agentkitTools.vite({ include: 'src/**/*.ts' })], by `agentkit/unplugin` (npm i -D unplugin ts-morph)."
    expect(() => agentWith([function act() {}])).toThrow(line)
  })

  it('get a hint about other loaders instead of `register` when it is active', () => {
    vi.stubGlobal('agentkit.attachTool', () => {})
    const hint =
      /cannot call it\. If another loader loads its file, .* `agentkit tools build`\. Functions at the top level/
    expect(() => agentWith([function act() {}])).toThrow(
      expect.objectContaining({ message: expect.stringMatching(hint) }),
    )
    vi.unstubAllGlobals()
  })

  it('must not have an invalid tool attached', () => {
    const act = Object.assign(() => 'called', { [toolOfFunction]: { name: 'act', execute } as unknown as Tool })
    expect(() => agentWith([act])).toThrow('Tool "act": give it a description')
  })

  it('are compiled at the first run: a schema without JSON Schema ends it', async () => {
    const act = tool({ name: 'act', description: 'd', input: z.object({ at: z.date() }), execute })
    const agent = agentWith([act])
    for (let turn = 0; turn < 2; turn++) {
      await expect(agent.chat('Go')).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining('Tool "act"'),
      })
    }
  })
})
