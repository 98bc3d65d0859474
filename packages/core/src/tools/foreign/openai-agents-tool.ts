import type { Tool, ToolRun } from '../../contracts/tool.ts'
import type { JSONSchema } from '../../data/message.ts'
import { type ContentPart, imagePart, mediaPart, missingFile, textPart } from './content-parts.ts'
import type { Fields } from './foreign-tool.ts'
import { isFilledList, isGiven, refuseUnsupported, type Unsupported } from './refusal.ts'

export function isOpenAIAgentsTool({ type, invoke }: Fields): boolean {
  return type === 'function' && typeof invoke === 'function'
}

/**
 * A `tool()` of the OpenAI Agents SDK as one of agentkit. Hints for its own API are left out (`strict`, `deferLoading`,
 * `providerData`); its schema is validated here, and the tool parses the input itself.
 *
 * @throws AgentKitError `invalid-argument`, naming the tool, for what has no counterpart
 */
export function fromOpenAIAgentsTool(source: Fields): Tool {
  const { name, description, parameters, timeoutMs, needsApproval, isEnabled } = source
  refuseUnsupported(String(name), source, unsupported)
  return {
    // The fields are checked with the rest of the tool.
    name: name as string,
    description: description as string,
    inputSchema: parameters as JSONSchema,
    ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs as number }),
    ...(isGiven(needsApproval) && {
      needsApproval: (input, { callId }) => call(source, 'needsApproval', runContext(), input, callId) as boolean,
    }),
    ...(isEnabled !== undefined && {
      async isEnabled(run) {
        return (await call(source, 'isEnabled', runContext(run), {})) !== false
      },
    }),
    async execute(input, context) {
      const { signal, callId } = context
      const text = JSON.stringify(input)
      const toolCall = { type: 'function_call', callId, name, arguments: text, status: 'completed' }
      return resultOf(await call(source, 'invoke', runContext(context), text, { signal, toolCall }))
    },
  }
}

const unsupported: Unsupported = [
  [
    'inputGuardrails',
    isFilledList,
    'are not run by agentkit. Check the input in `execute`, or by the hook `beforeTool`.',
  ],
  [
    'outputGuardrails',
    isFilledList,
    'are not run by agentkit. Check the result in `execute`, or by the hook `afterTool`.',
  ],
  ['customDataExtractor', isGiven, 'is not called by agentkit, which has no items of a run. Leave it out.'],
  [
    'allowedCallers',
    (callers) => Array.isArray(callers) && !callers.includes('direct'),
    'does not include "direct", and agentkit lets only the model call tools.',
  ],
  [
    'timeoutBehavior',
    (behavior, { timeoutMs }) => timeoutMs !== undefined && behavior === 'raise_exception',
    'is "raise_exception": in agentkit a tool that takes too long never ends the run. Set "error_as_result".',
  ],
]

/** What tools read of a `RunContext`: the application's own context is not known here, so it has the run's ids. */
function runContext(run?: ToolRun): object {
  const { userId, sessionId, runId } = run ?? {}
  return {
    context: { userId, sessionId, runId },
    usage: { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    isToolApproved: () => undefined,
  }
}

/** Calls a method of the foreign object, which may use `this`; a value in its place is the answer. */
function call(source: Fields, name: string, ...parameters: unknown[]): unknown {
  const method = source[name]
  return typeof method === 'function' ? method.apply(source, parameters) : method
}

/** The SDK's own parts as ours; anything else as it is. */
function resultOf(value: unknown): unknown {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0) return value
  const parts = list.map(contentPart)
  return parts.includes(undefined) ? value : parts
}

function contentPart(item: unknown): ContentPart | undefined {
  const { type, text, image, file } = Object(item) as Fields
  if (type === 'text' && typeof text === 'string') return textPart(text)
  if (type === 'image' && isGiven(image)) {
    const { data, url, mediaType } = Object(image) as Fields & { mediaType?: string }
    return imagePart(typeof image === 'string' ? image : (data ?? url), mediaType)
  }
  if (type === 'file' && isGiven(file)) {
    const { data, url, mediaType, filename } = Object(file) as Fields & { mediaType?: string }
    const source = typeof file === 'string' ? file : (data ?? url)
    return source === undefined ? missingFile(mediaType, filename) : mediaPart(source, mediaType, filename)
  }
  return undefined
}
