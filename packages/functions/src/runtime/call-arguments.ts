import type { ToolContext } from '@agentkit/core'
import type { CompiledFunction, CompiledParameter } from './compiled-function.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * The arguments of a call: the input's value for each parameter, in order, and the context at its position. Missing
 * arguments at the end are omitted, so that `arguments.length` is the same as in a manual call.
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
    // A missing argument keeps its position if others follow.
    if (found.length === 0) values.push(undefined)
    else given = values.push(...found)
  }
  if (values.length === contextIndex) given = values.push(context)
  return values.slice(0, given)
}

/** One argument; none for a missing parameter; any number for `...ids`. */
function argumentsFor(parameter: CompiledParameter, input: Input): unknown[] {
  if (parameter.whole) return [input]
  if (!Object.hasOwn(input, parameter.name)) return []
  const value = input[parameter.name]
  // The cast holds: the schema requires a list.
  return parameter.rest ? (value as unknown[]) : [value]
}
