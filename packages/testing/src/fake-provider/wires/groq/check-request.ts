import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkMessages } from './check-messages.ts'
import { checkTools } from './check-tools.ts'
import { isReasoningModel, isVisionModel } from './models.ts'

const knownKeys = (
  'messages model citation_options compound_custom disable_tool_validation documents exclude_domains ' +
  'frequency_penalty function_call functions include_domains include_reasoning logit_bias logprobs ' +
  'max_completion_tokens max_tokens metadata n parallel_tool_calls presence_penalty reasoning_effort ' +
  'reasoning_format response_format search_settings seed service_tier stop store stream stream_options temperature ' +
  'tool_choice tools top_logprobs top_p user'
).split(' ')

/** Rejects what Groq's `/openai/v1/chat/completions` rejects. */
export function checkGroqRequest(body: Fields): void {
  const unknown = Object.keys(body).find((key) => !knownKeys.includes(key))
  if (unknown !== undefined) throw new ApiError(400, `property '${unknown}' is unsupported`)
  for (const name of ['model', 'messages']) {
    if (body[name] == null) throw new ApiError(400, `'${name}' : property '${name}' is missing`)
  }
  const model = String(body.model)
  const names = checkTools(body.tools)
  checkToolChoice(body.tool_choice, names)
  const offered = body.disable_tool_validation === true ? undefined : names
  checkMessages(body.messages, { reasons: isReasoningModel(model), sees: isVisionModel(model), offered })
  checkReasoning(body, model)
  checkFormat(body, model)
  checkNumbers(body)
}

function checkToolChoice(choice: unknown, names: ReadonlySet<string>): void {
  if (!isFields(choice)) {
    requireAllowed(choice, ['none', 'auto', 'required'], 'tool_choice')
    return
  }
  const name = isFields(choice.function) ? choice.function.name : undefined
  if (typeof name !== 'string') throw new ApiError(400, "'tool_choice.function' : property 'name' is missing")
  if (!names.has(name)) throw new ApiError(400, 'requested tool does not exist')
}

function checkReasoning(body: Fields, model: string): void {
  const { reasoning_effort: effort, reasoning_format: format, include_reasoning: included } = body
  requireAllowed(effort, ['none', 'default', 'low', 'medium', 'high'], 'reasoning_effort')
  requireAllowed(format, ['hidden', 'raw', 'parsed'], 'reasoning_format')
  for (const name of ['reasoning_effort', 'reasoning_format', 'include_reasoning']) {
    if (body[name] == null || isReasoningModel(model)) continue
    throw new ApiError(400, `\`${name}\` is not supported with this model`)
  }
  if (effort != null) {
    const supported = effortsOf(model)
    const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(supported.map((one) => `\`${one}\``))
    if (!supported.includes(String(effort))) throw new ApiError(400, `\`reasoning_effort\` must be one of ${list}`)
  }
  if (format != null && included != null) {
    throw new ApiError(400, 'cannot specify both `include_reasoning` and `reasoning_format`')
  }
  const plain = body.tools == null && (!isFields(body.response_format) || body.response_format.type === 'text')
  if (format === 'raw' && !plain) {
    throw new ApiError(400, '`reasoning_format` must be `parsed` or `hidden` when using JSON mode or tool calling')
  }
}

function effortsOf(model: string): string[] {
  if (model.includes('gpt-oss')) return ['low', 'medium', 'high']
  return /qwen3\.8/.test(model) ? ['none', 'default', 'low', 'medium', 'high'] : ['none', 'default']
}

function checkFormat(body: Fields, model: string): void {
  if (!isFields(body.response_format) || body.response_format.type === 'text') return
  const format = body.response_format
  const param = 'response_format'
  requireAllowed(format.type, ['text', 'json_object', 'json_schema'], 'response_format.type')
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    throw new ApiError(400, 'json mode cannot be combined with tool/function calling', { param })
  }
  if (format.type !== 'json_schema') return
  if (body.stream === true) throw new ApiError(400, '`response_format` does not support streaming', { param })
  if (/^(?:llama-3|gemma2|mixtral|qwen|deepseek)/.test(model)) {
    throw new ApiError(
      400,
      'This model does not support response format `json_schema`. See the supported models in the documentation.',
      { param },
    )
  }
  if (!isFields(format.json_schema) || typeof format.json_schema.name !== 'string') {
    throw new ApiError(400, "'response_format.json_schema' : property 'name' is missing", { param })
  }
}

function checkNumbers(body: Fields): void {
  if (typeof body.n === 'number' && body.n > 1) throw new ApiError(400, "'n' : number must be at most 1")
  for (const name of ['max_completion_tokens', 'max_tokens']) {
    const value = body[name]
    if (value == null) continue
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw new ApiError(400, `'${name}' : value must be an integer`)
    }
    if (value < 1) throw new ApiError(400, `'${name}' : number must be at least 1`)
    if (value > 131_072) {
      throw new ApiError(
        400,
        `\`${name}\` must be less than or equal to \`131072\`, the maximum value for \`${name}\` is less than the ` +
          '`context_window` for this model',
        { param: name },
      )
    }
  }
  if (typeof body.temperature === 'number' && (body.temperature < 0 || body.temperature > 2)) {
    throw new ApiError(400, `'temperature' : number must be ${body.temperature < 0 ? 'at least 0' : 'at most 2'}`)
  }
  if (Array.isArray(body.stop) && body.stop.length > 4) {
    throw new ApiError(400, "'stop' : maximum number of items is 4")
  }
}

function requireAllowed(value: unknown, allowed: readonly string[], path: string): void {
  if (value == null || (typeof value === 'string' && allowed.includes(value))) return
  const list = allowed.map((item) => `'${item}'`).join(',')
  throw new ApiError(400, `'${path}' : value is not one of the allowed values [${list}]`)
}
