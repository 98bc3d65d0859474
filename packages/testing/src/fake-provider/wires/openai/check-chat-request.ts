import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkFunctions, checkJSONSchemaFormat } from './check-tools.ts'
import {
  isReasoningModel,
  refuseBreakpoints,
  refuseSampling,
  refuseStop,
  refuseUnknownKeys,
  requireField,
  requireFields,
  requireList,
  requireOneOf,
  requireShort,
  requireText,
} from './checks.ts'

const knownKeys = new Set(
  (
    'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens ' +
    'metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier ' +
    'stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options'
  ).split(' '),
)

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function']
const partTypes: Record<string, readonly string[]> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
}

/** Rejects what `/v1/chat/completions` rejects. */
export function checkChatRequest(body: Fields): void {
  if (!body.model) throw new ApiError(400, 'you must provide a model parameter')
  refuseUnknownKeys(body, knownKeys)
  refuseBreakpoints(body)
  const messages = requireList(requireField(body, 'messages', ''), 'messages')
  if (messages.length === 0) {
    throw new ApiError(400, "Invalid 'messages': empty array. Expected an array with minimum length 1.", {
      param: 'messages',
      code: 'empty_array',
    })
  }
  const checked = messages.map((message, index) => checkMessage(message, `messages[${index}]`))
  checkCallsHaveResults(checked)
  checkOptions(body)
}

function checkMessage(candidate: unknown, path: string): Fields {
  const message = requireFields(candidate, path)
  const role = String(requireField(message, 'role', path))
  requireOneOf(role, roles, `${path}.role`)
  if (role === 'tool') requireField(message, 'tool_call_id', path)
  if (role === 'assistant') checkAssistant(message, path)
  else if (message.content === undefined || message.content === null) {
    throw new ApiError(400, `Invalid value for 'content': expected a string, got null.`, { param: `${path}.content` })
  }
  checkContent(message.content, partTypes[role] ?? ['text'], `${path}.content`)
  return message
}

function checkAssistant(message: Fields, path: string): void {
  if (message.tool_calls === undefined) {
    if (message.content || message.content === '' || message.refusal || message.function_call) return
    throw new ApiError(400, `Invalid value for 'content': expected a string, got null.`, { param: `${path}.content` })
  }
  const calls = requireList(message.tool_calls, `${path}.tool_calls`)
  if (calls.length === 0) {
    throw new ApiError(400, `Invalid '${path}.tool_calls': empty array. Expected an array with minimum length 1.`, {
      param: `${path}.tool_calls`,
      code: 'empty_array',
    })
  }
  calls.forEach((candidate, index) => {
    const callPath = `${path}.tool_calls[${index}]`
    const call = requireFields(candidate, callPath)
    requireShort(requireField(call, 'id', callPath), 40, `${callPath}.id`)
    requireOneOf(requireField(call, 'type', callPath), ['function', 'custom'], `${callPath}.type`)
    if (call.type === 'custom') return
    const details = requireFields(requireField(call, 'function', callPath), `${callPath}.function`)
    requireField(details, 'name', `${callPath}.function`)
    requireText(details.arguments, `${callPath}.function.arguments`)
  })
}

function checkContent(content: unknown, types: readonly string[], path: string): void {
  if (typeof content === 'string' || content === undefined || content === null) return
  const parts = requireList(content, path)
  if (parts.length === 0) {
    throw new ApiError(400, `Invalid '${path}': empty array. Expected an array with minimum length 1.`, {
      param: path,
      code: 'empty_array',
    })
  }
  parts.forEach((candidate, index) => {
    const part = requireFields(candidate, `${path}[${index}]`)
    requireOneOf(part.type, types, `${path}[${index}].type`)
    if (part.type === 'text') requireText(part.text, `${path}[${index}].text`)
    if (part.type === 'image_url') {
      const image = requireFields(part.image_url, `${path}[${index}].image_url`)
      requireText(image.url, `${path}[${index}].image_url.url`)
    }
    if (part.type === 'file') requireFields(part.file, `${path}[${index}].file`)
  })
}

/** Each call is answered by the tool messages directly after its message, and each of those answers a call. */
function checkCallsHaveResults(messages: readonly Fields[]): void {
  let open = new Set<unknown>()
  let caller = -1
  const refuseOpen = (): void => {
    if (open.size === 0) return
    throw new ApiError(
      400,
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      { param: `messages.[${caller}].role` },
    )
  }
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) return
      throw new ApiError(
        400,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param: `messages.[${index}].role` },
      )
    }
    refuseOpen()
    if (!Array.isArray(message.tool_calls)) return
    caller = index
    open = new Set(message.tool_calls.map((call: Fields) => call.id))
    if (open.size < message.tool_calls.length) {
      throw new ApiError(400, `Duplicate value for 'tool_call_id' in message with role 'assistant'.`, {
        param: `messages.[${index}].tool_calls`,
      })
    }
  })
  refuseOpen()
}

function checkOptions(body: Fields): void {
  if (body.tools === undefined) {
    for (const name of ['tool_choice', 'parallel_tool_calls']) {
      if (body[name] === undefined || (name === 'tool_choice' && body[name] === 'none')) continue
      throw new ApiError(400, `'${name}' is only allowed when 'tools' are specified.`, { param: name })
    }
  } else {
    const tools = requireList(body.tools, 'tools').map((tool, index) => requireFields(tool, `tools[${index}]`))
    if (tools.length === 0) throw new ApiError(400, "[] is too short - 'tools'")
    tools.forEach((tool, index) => {
      requireOneOf(requireField(tool, 'type', `tools[${index}]`), ['function', 'custom'], `tools[${index}].type`)
    })
    checkFunctions(
      tools.flatMap((tool, index) => {
        if (tool.type !== 'function') return []
        const path = `tools[${index}].function`
        return [{ definition: requireFields(requireField(tool, 'function', `tools[${index}]`), path), path }]
      }),
    )
  }
  if (body.stream_options !== undefined && body.stream !== true) {
    throw new ApiError(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    })
  }
  if (isReasoningModel(body.model) && body.max_tokens !== undefined) {
    throw new ApiError(
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: 'max_tokens', code: 'unsupported_parameter' },
    )
  }
  refuseSampling(body, body.reasoning_effort)
  refuseStop(body)
  if (!isFields(body.response_format)) return
  requireOneOf(body.response_format.type, ['text', 'json_object', 'json_schema'], 'response_format.type')
  if (body.response_format.type !== 'json_schema') return
  const path = 'response_format.json_schema'
  checkJSONSchemaFormat(requireFields(body.response_format.json_schema, path), path)
}
