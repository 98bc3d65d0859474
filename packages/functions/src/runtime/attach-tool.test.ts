import { inspect } from 'node:util'
import { AgentKitError, tool, toolFromFunction, toolOfFunction } from '@agentkit/core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { attachTool } from './attach-tool.ts'
import type { CompiledFunction } from './compiled-function.ts'

const number = { type: 'number' }
const compiled: CompiledFunction = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: number, b: number },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  parameters: [{ name: 'a' }, { name: 'b' }],
}
const context = {
  signal: new AbortController().signal,
  userId: 'u',
  runId: 'r',
  callId: 'c',
  idempotencyKey: 'k',
  cite() {},
}
const sum = { a: 2, b: 3 }

const makeAdd = (): ((a: number, b: number) => number) => {
  return function add(a, b) {
    return a + b
  }
}

class Calculator {
  #offset: number
  constructor(offset: number) {
    this.#offset = offset
  }
  add(a: number, b: number): number {
    return this.#offset + a + b
  }
}
attachTool(Calculator.prototype.add, { ...compiled, methodOf: 'Calculator' })

function depthOf(value: object): number {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null ? 0 : 1 + depthOf(prototype)
}

describe('a function with a tool attached', () => {
  it('carries that tool, which calls it', async () => {
    const add = attachTool(makeAdd(), compiled)
    const { name, description, inputSchema, execute } = toolFromFunction(add)
    expect({ name, description }).toEqual({ name: 'add', description: 'Adds two numbers.' })
    expect(inputSchema).toEqual(compiled.inputSchema)
    expect(await execute(sum, context)).toBe(5)
  })

  it('stays unchanged', () => {
    const plain = makeAdd()
    const keys = Reflect.ownKeys(plain)
    const add = attachTool(plain, compiled)
    expect(add).toBe(plain)
    expectTypeOf(add).toEqualTypeOf<(a: number, b: number) => number>()
    expect(add(2, 3)).toBe(5)
    expect(Reflect.ownKeys(add)).toEqual(keys)
    expect(add).toBeInstanceOf(Function)
    expect(inspect(add)).toBe('[Function: add]')
    expect(inspect(attachTool(async () => 1, compiled))).toBe('[AsyncFunction (anonymous)]')
  })

  it('has one tool', () => {
    const add = attachTool(makeAdd(), compiled)
    expect(toolFromFunction(add)).toBe(toolFromFunction(add))
  })

  it('has a schema that none of its users can change for the others', () => {
    const source = structuredClone(compiled)
    const add = attachTool(makeAdd(), source)
    const mine = toolFromFunction(add)
    // As a caller without types may change it.
    const open = mine as unknown as { description: string; inputSchema: { type: string; properties: object } }
    expect(() => {
      open.inputSchema.type = 'array'
    }).toThrow(TypeError)
    expect(() => {
      Object.assign(open.inputSchema.properties, { c: {} })
    }).toThrow(TypeError)
    expect(() => {
      open.description = 'Deletes everything.'
    }).toThrow(TypeError)
    source.inputSchema.type = 'array'
    source.parameters.length = 0
    expect(toolFromFunction(add)).toMatchObject({
      description: compiled.description,
      inputSchema: compiled.inputSchema,
    })
  })

  it('may be given another one by hand', () => {
    const mine = tool({ name: 'mine', description: 'd', input: { type: 'object' }, execute: () => 'mine' })
    const add = Object.assign(attachTool(makeAdd(), compiled), { [toolOfFunction]: mine })
    expect(toolFromFunction(add)).toBe(mine)
    const bound = attachTool(makeAdd(), compiled).bind(null)
    expect(toolFromFunction(Object.assign(bound, { [toolOfFunction]: mine }))).toBe(mine)
  })

  it('may be frozen', () => {
    expect(toolFromFunction(Object.freeze(attachTool(makeAdd(), compiled))).name).toBe('add')
  })

  it('may be behind a proxy', async () => {
    const calls: unknown[] = []
    const traced = new Proxy(attachTool(makeAdd(), compiled), {
      apply(target, _this, parameters) {
        calls.push(parameters)
        return Reflect.apply(target, undefined, parameters)
      },
    })
    expect(await toolFromFunction(traced).execute(sum, context)).toBe(5)
    expect(calls).toEqual([[2, 3]])
  })
})

describe('the argument of a compiler', () => {
  it('is asked for when the tool is first used, and once', () => {
    let asked = 0
    const add = attachTool(makeAdd(), () => {
      asked++
      return compiled
    })
    const bound = add.bind(null)
    expect(asked).toBe(0)
    for (const either of [add, bound, add]) expect(toolFromFunction(either).name).toBe('add')
    expect(asked).toBe(1)
  })

  it('is asked for again after it threw', () => {
    const answers = [new AgentKitError('invalid-argument', 'add cannot be a tool.'), compiled]
    const add = attachTool(makeAdd(), () => {
      const answer = answers.shift()
      if (!answer || answer instanceof Error) throw answer
      return answer
    })
    expect(() => toolFromFunction(add)).toThrow('add cannot be a tool.')
    expect(toolFromFunction(add).name).toBe('add')
  })
})

describe('attaching again', () => {
  const other = { ...compiled, name: 'other' }
  it.each<[string, CompiledFunction | (() => CompiledFunction), CompiledFunction | (() => CompiledFunction), string]>([
    ['a manifest replaces a manifest', compiled, other, 'other'],
    ['a compiler replaces a manifest', compiled, () => other, 'other'],
    ['a compiler replaces a compiler', () => compiled, () => other, 'other'],
    ['no manifest replaces a compiler', () => compiled, other, 'add'],
  ])('%s', (_name, first, second, name) => {
    const add = attachTool(makeAdd(), first)
    toolFromFunction(add)
    const bound = add.bind(null)
    attachTool(add, second)
    expect(toolFromFunction(add).name).toBe(name)
    expect(toolFromFunction(bound).name).toBe(name)
  })

  it('makes no longer prototype chain', () => {
    const add = attachTool(makeAdd(), compiled)
    const depth = depthOf(add)
    for (let count = 0; count < 5; count++) attachTool(add, { ...compiled })
    expect(depthOf(add)).toBe(depth)
    expect(depth).toBe(depthOf(makeAdd()) + 1)
  })

  it('works for another copy of the package too', async () => {
    const path = './attach-tool.ts?another-copy'
    const copy: typeof import('./attach-tool.ts') = await import(/* @vite-ignore */ path)
    expect(copy.attachTool).not.toBe(attachTool)
    const add = attachTool(makeAdd(), () => compiled)
    copy.attachTool(add, other)
    expect(toolFromFunction(add).name).toBe('add')
    copy.attachTool(add, () => other)
    expect(toolFromFunction(add).name).toBe('other')
    expect(depthOf(add)).toBe(depthOf(makeAdd()) + 1)
  })

  it('to a bound function leaves the original alone', () => {
    const add = attachTool(makeAdd(), compiled)
    const bound = attachTool(add.bind(null), other)
    expect(toolFromFunction(add).name).toBe('add')
    expect(toolFromFunction(bound).name).toBe('other')
  })
})

describe('a method', () => {
  it('carries a tool for each instance that it is bound to', async () => {
    const [one, ten] = [new Calculator(1), new Calculator(10)]
    const tools = [one.add.bind(one), ten.add.bind(ten)].map(toolFromFunction)
    expect(tools.map(({ name }) => name)).toEqual(['add', 'add'])
    expect(await Promise.all(tools.map(({ execute }) => execute(sum, context)))).toEqual([6, 15])
  })

  it('that uses `this` must be bound: the error says how', () => {
    expect(() => toolFromFunction(Calculator.prototype.add)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringMatching(
          /"add" of Calculator uses `this`.*, as in calculator\.add\.bind\(calculator\)\.$/,
        ),
      }),
    )
  })
})

describe('a function that is bound to arguments', () => {
  it('is no longer the compiled function', () => {
    expect(() => toolFromFunction(attachTool(makeAdd(), compiled).bind(null, 1) as () => number)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining('bound to some of its arguments'),
      }),
    )
  })

  it('differs from a wrapper that looks like it', async () => {
    const add = attachTool(makeAdd(), compiled)
    const wrapper = (...parameters: [number, number]): number => add(...parameters) * 100
    Object.defineProperty(wrapper, 'name', { value: 'add' })
    Object.setPrototypeOf(wrapper, Object.getPrototypeOf(add))
    expect(await toolFromFunction(wrapper).execute(sum, context)).toBe(500)
  })
})

describe('an object that inherits from a function has no tool of it', () => {
  function Shape(this: { sides: number }, sides: number): void {
    this.sides = sides
  }
  attachTool(Shape, compiled)

  it('a class that extends it', () => {
    class Square extends (Shape as unknown as new (sides: number) => object) {}
    expect(new Square(4)).toEqual({ sides: 4 })
    expect(Reflect.get(Square, toolOfFunction)).toBeUndefined()
  })

  it.each([
    ['an object made from it', Object.create(Shape)],
    ['an object with its prototype', Object.create(Object.getPrototypeOf(Shape))],
    ['the prototype itself', Object.getPrototypeOf(Shape)],
  ])('%s', (_name, value) => {
    expect(value[toolOfFunction]).toBeUndefined()
  })
})

it.each([undefined, null, 7, 'add', { add: makeAdd() }])('lets %j be', (value) => {
  expect(attachTool(value, compiled)).toBe(value)
})

it('lets a frozen function be: it carries no tool', () => {
  const add = attachTool(Object.freeze(makeAdd()), compiled)
  expect(() => toolFromFunction(add)).toThrow('The function "add" carries no schema')
})
