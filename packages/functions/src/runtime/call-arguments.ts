import type { ToolContext } from '@agentkit/core'
import type { CompiledFunction, CompiledParameter } from './compiled-function.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * The arguments of a call: what the input has for each parameter, in their order, and the context in its place.
 * What is left out at the end is left out of the call too, so that `arguments.length` is that of a call by hand.
 *
 * @param input valid for the function's `inputSchema`
 */
export function callArguments(
  input: Input,
  { parameters, contextIndex }: Pick<CompiledFunction, 'parameters' | 'contextIndex'>,
  context: ToolContext,
): unknown[] {
  const values: unknown[] = []
  let given = 0
  for (const parameter of parameters) {
    if (values.length === contextIndex) given = values.push(context)
    const found = argumentsFor(parameter, input)
    // One that was left out holds its place, for those after it.
    if (found.length === 0) values.push(undefined)
    else given = values.push(...found)
  }
  if (values.length === contextIndex) given = values.push(context)
  return values.slice(0, given)
}

/** One argument; none for a parameter that was left out; any number for `...ids`. */
function argumentsFor(parameter: CompiledParameter, input: Input): unknown[] {
  if (parameter.whole) return [input]
  if (!Object.hasOwn(input, parameter.name)) return []
  const value = input[parameter.name]
  // The schema says that it is a list.
  return parameter.rest ? (value as unknown[]) : [value]
}
