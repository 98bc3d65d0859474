import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkTools } from './check-tools.ts'
import { requireType } from './go-types.ts'

const roles = ['system', 'user', 'assistant', 'tool']

/** Rejects requests that an Ollama server rejects. Unknown fields are ignored. */
export function checkOllamaRequest(body: Fields): void {
  requireType(body.model, 'string', 'ChatRequest.model')
  const messages = requireType(body.messages, '[]api.Message', 'ChatRequest.messages') ?? []
  checkThink(body)
  checkTools(body.tools)
  requireType(body.options, 'map[string]interface {}', 'ChatRequest.options')
  messages.forEach(checkMessage)
  if (body.model === undefined || body.model === '') throw new ApiError(400, 'model is required')
  checkFormat(body.format)
  checkAbilities(String(body.model), body)
}

function checkMessage(candidate: unknown): void {
  const path = 'ChatRequest.messages'
  const message = requireType(candidate, 'api.Message', path) ?? {}
  for (const name of ['role', 'content', 'thinking', 'tool_name', 'tool_call_id']) {
    requireType(message[name], 'string', `${path}.${name}`)
  }
  const role = String(message.role ?? '').toLowerCase()
  if (!roles.includes(role)) {
    throw new ApiError(400, `invalid role: ${role}, role must be one of [${roles.join(', ')}]`)
  }
  for (const image of requireType(message.images, '[]api.ImageData', `${path}.images`) ?? []) {
    checkBase64(requireType(image, 'string', `${path}.images`) ?? '')
  }
  for (const candidateCall of requireType(message.tool_calls, '[]api.ToolCall', `${path}.tool_calls`) ?? []) {
    const call = requireType(candidateCall, 'api.ToolCall', `${path}.tool_calls`) ?? {}
    requireType(call.id, 'string', `${path}.tool_calls.id`)
    const details = requireType(call.function, 'api.ToolCallFunction', `${path}.tool_calls.function`) ?? {}
    requireType(details.name, 'string', `${path}.tool_calls.function.name`)
    requireType(details.arguments, 'api.ToolCallFunctionArguments', `${path}.tool_calls.function.arguments`)
  }
}

/** Images are bytes: a URL, a path or a data URL is not base64, and the server names the position. */
function checkBase64(text: string): void {
  const strange = text.search(/[^A-Za-z0-9+/=\r\n]/)
  const padding = text.search(/=(?!=?$)/)
  const loose = text.length % 4 === 0 ? -1 : text.length - (text.length % 4)
  const at = [strange, padding, loose].filter((index) => index >= 0)
  if (at.length > 0) throw new ApiError(400, `illegal base64 data at input byte ${Math.min(...at)}`)
}

function checkThink({ think }: Fields): void {
  if (think === undefined || think === null || typeof think === 'boolean') return
  const levels = ['high', 'medium', 'low', 'max']
  const list = '"high", "medium", "low", "max", true, or false'
  if (typeof think !== 'string') throw new ApiError(400, `think must be a boolean or string (${list})`)
  if (!levels.includes(think)) throw new ApiError(400, `invalid think value: "${think}" (must be ${list})`)
}

function checkFormat(format: unknown): void {
  if (format === undefined || format === null || format === '' || format === 'json' || isFields(format)) return
  throw new ApiError(400, `invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`)
}

/** Rejects features that a model is known not to support. */
function checkAbilities(model: string, body: Fields): void {
  if (Array.isArray(body.tools) && body.tools.length > 0 && /^(?:gemma[23]?(?::|$)|phi3|llava|llama2)/.test(model)) {
    throw new ApiError(400, `registry.ollama.ai/library/${model} does not support tools`)
  }
  const thinks = body.think !== undefined && body.think !== null && body.think !== false
  if (thinks && /^(?:llama[23]|gemma[23]?(?::|$)|phi3|llava|mistral(?::|$)|qwen2)/.test(model)) {
    throw new ApiError(400, `"${model}" does not support thinking`)
  }
}
