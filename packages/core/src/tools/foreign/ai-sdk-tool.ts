import type { Tool, ToolContext, ToolRun } from '../../contracts/tool.ts'
import { messageOf } from '../../data/errors.ts'
import type { JSONSchema } from '../../data/message.ts'
import { fromModelOutput } from './ai-sdk-output.ts'
import { isAISDKSchema, schemaOf } from './ai-sdk-schema.ts'
import type { Fields } from './foreign-tool.ts'
import { isAsyncIterable, lastValue } from './last-value.ts'
import { isFilledList, isGiven, refusal, refuseUnsupported, type Unsupported } from './refusal.ts'

/**
 * A tool of the AI SDK as one of agentkit. Hints that only some providers read are left out (`strict`, `title`,
 * `metadata`, `providerOptions`, `deferLoading`); input examples become part of the description, as the AI SDK's own
 * middleware does it.
 *
 * @throws AgentKitError `invalid-argument`, naming the tool, for what has no counterpart
 */
export function fromAISDKTool(name: string, source: Fields): Tool {
  refuseUnsupported(name, source, unsupported)
  return {
    name,
    description: descriptionOf(name, source),
    inputSchema: schemaOf(source.inputSchema ?? source.parameters, name),
    ...commonFields(name, source),
    async execute(input, context) {
      const options = asAISDKOptions(context)
      await call(source, 'onInputStart', options)
      await call(source, 'onInputAvailable', { ...options, input })
      const value = call(source, 'execute', input, options)
      const output = isAsyncIterable(value) ? await lastValue(value, context.signal) : await value
      if (typeof source.toModelOutput !== 'function') return output
      return fromModelOutput(await call(source, 'toModelOutput', { toolCallId: context.callId, input, output }))
    },
  }
}

/**
 * A tool with a name, a schema and `execute`: the AI SDK's and ours look alike. It is called in a way that suits both.
 */
export function fromNamedTool(name: string, source: Fields): Tool {
  return {
    name,
    // Checked with the rest of the tool.
    description: source.description as string,
    inputSchema: source.inputSchema as JSONSchema,
    ...commonFields(name, source),
    ...optional(source, 'timeoutMs', 'idempotent', 'isEnabled', 'keepResult', 'instruction'),
    ...(typeof source.isEnabled === 'function' && {
      // The loop leaves the tool out for false alone.
      isEnabled: (run: ToolRun) => call(source, 'isEnabled', run) as boolean,
    }),
    // Only for a copy of a client tool: a class may have a field of this name for something else.
    ...(source.client === true && optional(source, 'client', 'output')),
    execute:
      typeof source.execute === 'function'
        ? (input, context) => {
            const value = call(source, 'execute', input, asAISDKOptions(context))
            return isGenerator(value) ? lastValue(value, context.signal) : value
          }
        : (source.execute as Tool['execute']),
  }
}

/** Whether an object can only be the AI SDK's, or Mastra's, which look alike: ours have none of these fields. */
export function isAISDKTool(source: Fields): boolean {
  return isAISDKSchema(source.inputSchema) || aiSDKFields.some((field) => isGiven(source[field]))
}

/** Whether the object is meant for the AI SDK or agentkit, with or without a name. */
export function looksLikeTool(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const { inputSchema, parameters, execute, type } = value as Fields
  return (
    inputSchema !== undefined || isProviderTool(type) || (parameters !== undefined && typeof execute === 'function')
  )
}

/** Mastra's rule for one call, its rule for the tool, and that of the AI SDK: the first one that there is holds. */
const approvalFields = ['needsApprovalFn', 'requireApproval', 'needsApproval']

const aiSDKFields = [
  ...['type', 'title', 'metadata', 'strict', 'providerOptions', 'inputExamples', 'deferLoading', 'contextSchema'],
  ...['outputSchema', 'parameters', 'toModelOutput', 'onInputStart', 'onInputDelta', 'onInputAvailable'],
  ...['experimental_toToolResultContent', 'suspendSchema', 'requestContextSchema'],
]

function isProviderTool(type: unknown): boolean {
  return type === 'provider' || type === 'provider-defined'
}

const unsupported: Unsupported = [
  [
    'type',
    isProviderTool,
    'is "provider": the model\'s provider defines it and usually executes it, which agentkit does not request. Leave it out.',
  ],
  [
    'execute',
    (value) => typeof value !== 'function',
    'is missing, so a client would have to execute it. Give the tool an `execute`.',
  ],
  ['contextSchema', isGiven, 'requires a context that only the AI SDK passes. Use the values in `execute` directly.'],
  [
    'suspendSchema',
    isGiven,
    'lets it suspend its run, which agentkit does not do. A call waits before it runs: `needsApproval`.',
  ],
  [
    'requestContextSchema',
    isGiven,
    'requires a context that only Mastra passes. Use the values in `execute` directly.',
  ],
  ['experimental_toolCaller', isGiven, 'lets it call other tools, which agentkit does not do.'],
  ['experimental_toToolResultContent', isGiven, 'is of AI SDK 4. Convert the result in `toModelOutput`.'],
]

function descriptionOf(name: string, { description, inputExamples }: Fields): string {
  const text = typeof description === 'function' ? described(name, description as Describe) : (description ?? '')
  if (typeof text !== 'string') throw refusal(name, '`description` is a text.')
  if (!isFilledList(inputExamples)) return text
  const examples = (inputExamples as Fields[]).map(({ input }) => JSON.stringify(input))
  return [text, `Examples of input: ${examples.join(', ')}`].filter(Boolean).join('\n')
}

type Describe = (options: object) => unknown

function described(name: string, describe: Describe): unknown {
  try {
    return describe({ context: {} })
  } catch (cause) {
    throw refusal(name, `\`description\` is a function that failed without a context: ${messageOf(cause)}`)
  }
}

/** @throws AgentKitError `invalid-argument` for a misspelt rule, which would let calls run without approval */
function commonFields(name: string, source: Fields): Pick<Tool, 'needsApproval'> {
  const misspelt = Object.keys(source).find((field) => /approv/i.test(field) && !approvalFields.includes(field))
  if (misspelt !== undefined && isGiven(source[misspelt])) {
    throw refusal(name, `\`${misspelt}\` is unknown. The rule for approvals is \`needsApproval\`.`)
  }
  const rule = approvalFields.find((field) => source[field] !== undefined && source[field] !== false)
  if (rule === undefined) return {}
  // Checked with the rest of the tool.
  if (typeof source[rule] !== 'function') return { needsApproval: source[rule] as true }
  return {
    needsApproval: (input, { callId }) =>
      // The loop treats a rule that returns anything but false as one that needs approval.
      call(source, rule, input, {
        ...{ callId, toolCallId: callId, messages: [] },
        ...{ context: {}, experimental_context: {} },
      }) as boolean,
  }
}

function optional<Name extends keyof Tool>(source: Fields, ...names: Name[]): Pick<Tool, Name> {
  // The fields are checked with the rest of the tool.
  return Object.fromEntries(
    names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])),
  ) as never
}

/**
 * Adds the AI SDK's names to the context of a call. It stays the same object, because tools of swarms recognize it. The
 * messages of the conversation are not among them: a tool of agentkit does not see them.
 */
function asAISDKOptions(context: ToolContext): ToolContext & { toolCallId: string; abortSignal: AbortSignal } {
  const { callId, signal, userId, sessionId, runId } = context
  const run = { userId, sessionId, runId }
  return Object.assign(context, {
    toolCallId: callId,
    abortSignal: signal,
    messages: [],
    context: run,
    experimental_context: run,
  })
}

/** Calls a method of the foreign object, which may use `this`. */
function call(source: Fields, name: string, ...parameters: unknown[]): unknown {
  const method = source[name]
  return typeof method === 'function' ? method.apply(source, parameters) : undefined
}

function isGenerator(value: unknown): value is AsyncIterable<unknown> {
  return isAsyncIterable(value) && Object.prototype.toString.call(value) === '[object AsyncGenerator]'
}
