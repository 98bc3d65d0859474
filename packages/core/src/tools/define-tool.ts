import { type InferOutput, isStandardSchema, type StandardSchema } from '../contracts/standard-schema.ts'
import type { Tool, ToolContext } from '../contracts/tool.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { brokenSchema, jsonSchemaProblem } from '../schema/check-json-schema.ts'
import { isMilliseconds } from '../util/options/check-options.ts'
import { toolWords } from '../util/options/foreign-call-words.ts'
import { foreignWord } from '../util/options/foreign-words.ts'
import { nearestWord } from '../util/text/nearest-word.ts'
import type { ForeignTool } from './foreign/foreign-tool.ts'

/** The key of the tool that `@agentkit/functions` attaches to a function. */
export const toolOfFunction: unique symbol = Symbol.for('agentkit.tool') as never

/** A plain function with its tool. */
// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts functions of every parameter list.
export type ToolFunction = ((...parameters: any[]) => unknown) & { readonly [toolOfFunction]?: Tool }

/** An item of an agent's `functions`: a function, a tool, one of another library, or a list of them. */
export type ToolLike = Tool | ToolFunction | ForeignTool | readonly ToolLike[]

/** Valid for all seven providers. */
const validName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** What other libraries call `input`. Without them, the compiler infers no schema and blames `execute`; it shows the text. */
type OtherWords = { [Word in 'inputSchema' | 'parameters' | 'schema']?: `\`${Word}\` is \`input\` here` }

type ExecutedToolOptions<Schema, Input> = OtherWords & {
  name: string
  description: string
  input: Schema & SchemaOfObject<Schema>
  execute: (input: InputOf<Schema, Input>, context: ToolContext) => unknown
  timeoutMs?: number
  needsApproval?:
    | boolean
    | ((input: InputOf<Schema, Input>, call: { readonly callId: string }) => boolean | Promise<boolean>)
  idempotent?: boolean
  keepResult?: boolean
  client?: undefined
  output?: undefined
}

type ClientToolOptions<Schema> = OtherWords & {
  name: string
  description: string
  input: Schema & SchemaOfObject<Schema>
  client: true
  output?: JSONSchema | StandardSchema
  execute?: undefined
  timeoutMs?: undefined
  needsApproval?: undefined
  idempotent?: undefined
  keepResult?: undefined
}

/**
 * Creates a tool from a schema and a function, or one that the caller of a run executes.
 *
 * @param options.name letters, digits, `_` and `-`, not beginning with a digit or `-`; at most 64 characters
 * @param options.description what the tool does, for the model
 * @param options.input any Standard Schema (zod, valibot, arktype, …) of an object, or a JSON Schema. A Standard Schema
 *   validates by its own code, of input within 10,000 values and 64 levels: its patterns must be fast for long text
 * @param options.execute gets the validated input; sync or async
 * @param options.timeoutMs how long one call may take, in milliseconds
 * @param options.needsApproval whether a person must approve a call first: `true`, or a function of the validated input;
 *   a function that throws counts as `true`
 * @param options.idempotent whether a call may safely run twice: after a crash it then runs again, with the same
 *   `idempotencyKey`, instead of waiting for a person; default false
 * @param options.keepResult whether a conversation that is too long keeps its results, for as long as there is room, instead
 *   of removing or summarizing them; default false
 * @param options.client `true` for a tool without `execute`: the run waits with an approval of kind `client-tool` for the
 *   result of a call, from a page for example
 * @param options.output the schema of that result; default any JSON
 * @throws AgentKitError `invalid-argument` for an invalid name, description or input
 * @example
 * const weather = tool({
 *   name: 'weather',
 *   description: 'The weather in a city.',
 *   input: z.object({ city: z.string() }),
 *   execute: async ({ city }) => fetchWeather(city),
 * })
 * const locate = tool({ name: 'locate', description: 'Where the user is.', input: z.object({}), client: true })
 */
export function tool<Schema extends JSONSchema | StandardSchema, Input = Record<string, unknown>>(
  options: ExecutedToolOptions<Schema, Input> | ClientToolOptions<Schema>,
): Tool {
  if (!isRecord(options)) {
    throw invalidArgument('tool() takes one object: tool({ name, description, input, execute }).')
  }
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue
    const foreign = foreignWord(name, toolWords)
    if (foreign) throw invalidArgument(`${toolNamed(options.name)}: ${foreign}`)
    const nearest = nearestWord(name, optionNames)
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    const problem = `a tool has no option "${name}".${hint} There are: ${optionNames.join(', ')}.`
    throw invalidArgument(`${toolNamed(options.name)}: ${problem}`)
  }
  const { input, execute, ...rest } = options
  if (rest.client !== undefined || 'output' in rest) checkClientOptions(options)
  // The loop calls both functions with validated input, as the types of the options promise.
  const made: object = { ...rest, inputSchema: input, execute: rest.client ? runsInClient(rest.name) : execute }
  return ownTool(checkTool(made as Tool))
}

/** @throws AgentKitError `invalid-argument` for options that a client tool does not have, or only a client tool has */
function checkClientOptions(options: Record<string, unknown>): void {
  const fail = (problem: string): never => {
    throw invalidArgument(`${toolNamed(options.name)}: ${problem}`)
  }
  const { client, output } = options
  if (client !== true) fail('`client` is true or left out, and `output` is the result of a client tool.')
  const ineffective = ['execute', 'needsApproval', 'timeoutMs', 'idempotent', 'keepResult'].find(
    (name) => options[name] !== undefined,
  )
  if (ineffective) fail(`the client executes it, after any wait: leave \`${ineffective}\` out.`)
  if (output === undefined || (isRecord(output) && isStandardSchema(output))) return
  if (!isRecord(output)) fail('give `output` as a Standard Schema (zod, valibot, arktype, …) or a JSON Schema.')
  const problem = brokenSchema(output as JSONSchema, 'output') // an object, which is checked here
  if (problem !== undefined) fail(problem)
}

/** The loop never calls it: the decision on the call has its result. */
function runsInClient(name: string): Tool['execute'] {
  return () => {
    throw new AgentKitError('unsupported', `The client executes "${name}": answer its approval by { result }.`)
  }
}

/** What `execute` and `needsApproval` receive. A JSON Schema has no type, so that of their parameter is believed. */
type InputOf<Schema, Input> = Schema extends StandardSchema
  ? InferOutput<Schema>
  : Input extends object
    ? Input
    : Record<string, unknown>

/** Models call tools with an object. The text is what the compiler shows for a schema of anything else. */
type SchemaOfObject<Schema> = Schema extends StandardSchema
  ? IsObject<NonNullable<Schema['~standard']['types']>['input']> extends true
    ? unknown
    : 'the schema of an object, such as z.object({ city: z.string() })'
  : unknown

/** Also an unknown type: a schema need not say what it takes. */
type IsObject<Input> = unknown extends Input
  ? true
  : Input extends readonly unknown[]
    ? false
    : Input extends object
      ? true
      : false

/** What `tool()` has returned: other objects of this form may be meant for the AI SDK. */
const ownTools = new WeakSet<object>()

/** A tool that is used as it is, without looking for the fields of other libraries. */
export function ownTool(tool: Tool): Tool {
  ownTools.add(tool)
  return tool
}

export function isOwnTool(value: object): value is Tool {
  return ownTools.has(value)
}

/**
 * The tool of a plain function: its name, description and schema, and an `execute` that calls it.
 *
 * @throws AgentKitError `invalid-argument` for a function without a schema, with the ways to get one
 * @example
 * const { name, inputSchema, execute } = toolFromFunction(getTransactionReceipt)
 */
export function toolFromFunction(plain: ToolFunction): Tool {
  if (typeof plain !== 'function') {
    const message = `A tool can be had of a function, and this is ${plain === null ? 'null' : `of type ${typeof plain}`}.`
    throw invalidArgument(message)
  }
  return carriedTool(plain, 'A function')
}

/** @param place names the function if it has no name */
export function carriedTool(plain: ToolFunction, place: string): Tool {
  const carried = plain[toolOfFunction]
  if (carried) return checkTool(carried)
  throw invalidArgument(uncompiled(plain, place))
}

function uncompiled(plain: ToolFunction, place: string): string {
  if (/^class\b/.test(Function.prototype.toString.call(plain))) {
    return `${plain.name || 'This'} is a class, not a function. Give the agent its methods: calculator.add.bind(calculator).`
  }
  const named = plain.name ? `The function "${plain.name}"` : `${place} without a name`
  const how = isRegistered()
    ? 'If another loader loads its file, as tsx does in CommonJS, load the manifest of `agentkit tools build`. '
    : 'Run with `node --import agentkit/register app.ts`, or load the manifest of `agentkit tools build`. '
  const inVitest = isInVitest()
    ? " In Vitest, one line of vitest.config.ts compiles them: plugins: [agentkitTools.vite({ include: 'src/**/*.ts' })], by `agentkit/unplugin` (npm i -D unplugin ts-morph)."
    : ''
  return (
    `${named} carries no schema, so a model cannot call it. ${how}` +
    'Functions at the top level of your modules are compiled: move one there that is made inside another function, ' +
    'bind a method to its instance (`calculator.add.bind(calculator)`), or wrap it: ' +
    'tool({ name, description, input, execute }).' +
    inVitest
  )
}

/** Vitest loads files by itself, past `agentkit/register`. A process that a test starts is not a test. */
function isInVitest(): boolean {
  return '__vitest_worker__' in globalThis
}

/** Whether `agentkit/register` compiles the functions of this process. */
function isRegistered(): boolean {
  return 'agentkit.attachTool' in globalThis
}

/** A misspelt option must not be ignored: `needsApproval` is a safeguard. */
const optionNames: readonly string[] =
  'name description input execute needsApproval timeoutMs idempotent keepResult client output'.split(' ')

/** The beginning of a sentence about a tool, whose name may be missing or wrong. */
function toolNamed(name: unknown): string {
  return name === undefined ? 'A tool without a `name`' : `Tool "${String(name)}"`
}

/** @throws AgentKitError `invalid-argument` for a field that is missing or wrong, with the fix */
export function checkTool(candidate: Tool): Tool {
  const {
    name,
    description,
    inputSchema,
    execute,
    timeoutMs,
    needsApproval,
    idempotent,
    isEnabled,
    keepResult,
    instruction,
  } = candidate ?? {}
  const fail = (problem: string): never => {
    throw invalidArgument(`${toolNamed(name)}: ${problem}`)
  }
  if (typeof name !== 'string' || !validName.test(name)) {
    fail('a name has 1 to 64 letters, digits, "_" or "-", and begins with a letter or "_".')
  }
  if (typeof description !== 'string') fail('give it a description, so that the model knows when to call it.')
  if (inputSchema === null || (typeof inputSchema !== 'object' && typeof inputSchema !== 'function')) {
    fail('give `input` as a Standard Schema (zod, valibot, arktype, …) or a JSON Schema.')
  }
  if (!isStandardSchema(inputSchema)) {
    const problem = jsonSchemaProblem(inputSchema)
    if (problem !== undefined) fail(problem)
  }
  if (typeof execute !== 'function') fail('give `execute` as a function.')
  if (needsApproval !== undefined && typeof needsApproval !== 'boolean' && typeof needsApproval !== 'function') {
    fail('`needsApproval` is true, false, or a function of the input that says so.')
  }
  if (idempotent !== undefined && typeof idempotent !== 'boolean') fail('`idempotent` is true or false.')
  if (keepResult !== undefined && typeof keepResult !== 'boolean') fail('`keepResult` is true or false.')
  if (instruction !== undefined && typeof instruction !== 'string') fail('`instruction` is a text.')
  if (isEnabled !== undefined && typeof isEnabled !== 'function') fail('`isEnabled` is a function of the run.')
  if (timeoutMs !== undefined && !isMilliseconds.holds(timeoutMs)) fail(`timeoutMs is ${isMilliseconds.is}.`)
  return candidate
}
