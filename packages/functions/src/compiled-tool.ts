import { AgentKitError, jsonSchemaValidator, type Tool, type ToolFunction } from '@agentkit/core'
import { callArguments } from './call-arguments.ts'
import type { CompiledFunction } from './compiled-function.ts'
import { dateReviver } from './date-reviver.ts'

/** The tool that calls a function, or what was bound of it, with what the input has for its parameters. */
export function compiledTool(plain: ToolFunction, compiled: CompiledFunction): Tool {
  const { name, description, inputSchema } = compiled
  let reading: ReturnType<typeof inputReader> | undefined
  return {
    name,
    description,
    inputSchema,
    async execute(input, context) {
      reading ??= inputReader(compiled)
      const read = await reading
      return plain(...callArguments(read(input), compiled, context))
    },
  }
}

type Input = Record<string, unknown>

/** Checks an input, and gives it with its dates. An agent has checked it before; whoever calls `execute` has not. */
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
