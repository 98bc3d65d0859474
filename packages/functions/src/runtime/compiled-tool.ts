import { AgentKitError, type Tool, type ToolFunction } from '@agentkit/core'
import { jsonSchemaValidator } from '@agentkit/core/internal'
import { callArguments } from './call-arguments.ts'
import type { CompiledFunction } from './compiled-function.ts'
import { dateReviver } from './date-reviver.ts'

/**
 * The tool that calls a function, or a bound one, with the input's values for its parameters. All users of the
 * function share it, so it is frozen, and its schema is a frozen copy.
 */
export function compiledTool(plain: ToolFunction, source: CompiledFunction): Tool {
  const compiled = frozen(structuredClone(source))
  const { name, description, inputSchema } = compiled
  let reading: ReturnType<typeof inputReader> | undefined
  return Object.freeze<Tool>({
    name,
    description,
    inputSchema,
    async execute(input, context) {
      // The validator adds its own data to schemas.
      reading ??= inputReader(structuredClone(compiled))
      const read = await reading
      return plain(...callArguments(read(input), compiled, context))
    },
  })
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const item of Object.values(value)) frozen(item)
  return Object.freeze(value)
}

type Input = Record<string, unknown>

/** Validates an input and revives its dates. Agents validate first, other callers of `execute` do not. */
async function inputReader(compiled: CompiledFunction): Promise<(input: unknown) => Input> {
  const { name, inputSchema, dates } = compiled
  const validate = await jsonSchemaValidator(inputSchema, `Tool "${name}"`)
  const revive = dateReviver(inputSchema, dates ?? [], (value, part) => !validate(value, part).problems)
  return (input) => {
    const { problems } = validate(input)
    if (!problems) return revive(input) as Input
    throw new AgentKitError(
      'invalid-tool-call',
      `The arguments do not fit the schema of "${name}". ${problems.join(' ')}`,
    )
  }
}
