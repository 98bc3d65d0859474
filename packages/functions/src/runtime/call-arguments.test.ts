import type { ToolContext } from '@agentkit/core'
import { expect, it } from 'vitest'
import { callArguments } from './call-arguments.ts'
import type { CompiledParameter } from './compiled-function.ts'

const context = { callId: 'call-1' } as ToolContext
const a: CompiledParameter = { name: 'a' }
const b: CompiledParameter = { name: 'b' }
const ids: CompiledParameter = { name: 'ids', rest: true }
const whole: CompiledParameter = { whole: true }

it.each<[string, CompiledParameter[], number | undefined, object, unknown[]]>([
  ['in the order of the parameters', [a, b], undefined, { b: 2, a: 1 }, [1, 2]],
  ['without what is left out at the end', [a, b], undefined, { a: 1 }, [1]],
  ['none when all is left out', [a, b], undefined, {}, []],
  ['with a place for what is left out before others', [a, b], undefined, { b: 2 }, [undefined, 2]],
  ['with null where that is given', [a, b], undefined, { a: 1, b: null }, [1, null]],
  ['with the context at the end', [a, b], 2, { a: 1, b: 2 }, [1, 2, context]],
  ['with the context after what is left out', [a, b], 2, {}, [undefined, undefined, context]],
  ['with the context in the middle', [a, b], 1, { a: 1 }, [1, context]],
  ['with the context alone', [], 0, {}, [context]],
  ['with the items of a list', [a, ids], undefined, { a: 1, ids: [7, 8] }, [1, 7, 8]],
  ['with no items', [a, ids], undefined, { a: 1, ids: [] }, [1]],
  ['with no items, after what is left out', [a, ids], undefined, { ids: [] }, []],
  ['with no list', [a, ids], undefined, { a: 1 }, [1]],
  ['with items after what is left out', [a, ids], undefined, { ids: [7] }, [undefined, 7]],
  ['with the context before no items', [ids], 0, { ids: [] }, [context]],
  ['with the context before items', [a, ids], 1, { a: 1, ids: [7, 8] }, [1, context, 7, 8]],
  ['with the whole input', [whole], undefined, { a: 1, b: 2 }, [{ a: 1, b: 2 }]],
  ['with the whole input when it is empty', [whole], 1, {}, [{}, context]],
])('gives the arguments %s', (_name, parameters, contextIndex, input, expected) => {
  const compiled = contextIndex === undefined ? { parameters } : { parameters, contextIndex }
  expect(callArguments(input as Record<string, unknown>, compiled, context)).toEqual(expected)
})

it.each(['constructor', 'toString', '__proto__'])('takes no argument "%s" from the prototype of objects', (name) => {
  const compiled = { parameters: [{ name }, { name: 'last' }] }
  expect(callArguments({ last: 1 }, compiled, context)).toEqual([undefined, 1])
  expect(callArguments(JSON.parse(`{ "${name}": 7, "last": 1 }`), compiled, context)).toEqual([7, 1])
})
