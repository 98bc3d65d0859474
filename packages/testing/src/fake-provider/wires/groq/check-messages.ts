import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'

/** The capabilities of the model, and the offered tools; `undefined` when tools are not checked. */
type Setting = { reasons: boolean; sees: boolean; offered: ReadonlySet<string> | undefined }

const knownKeys: Record<string, readonly string[]> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'reasoning', 'tool_calls', 'function_call'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
  function: ['role', 'content', 'name'],
}

/** Rejects malformed messages, results without a call, and calls of tools that are not offered. */
export function checkMessages(candidates: unknown, setting: Setting): void {
  if (!Array.isArray(candidates)) throw new ApiError(400, "'messages' : value must be an array")
  if (candidates.length === 0) throw new ApiError(400, "'messages' : minimum number of items is 1")
  const called = new Set<unknown>()
  candidates.forEach((candidate: unknown, index) => {
    const path = `messages.${index}`
    const role = isFields(candidate) ? String(candidate.role) : ''
    if (!isFields(candidate) || !Object.hasOwn(knownKeys, role)) {
      throw new ApiError(400, `'${path}' : discriminator property 'role' has invalid value`)
    }
    const unknown = Object.keys(candidate).find((key) => !knownKeys[role]?.includes(key))
    if (unknown !== undefined) throw unsatisfied(path, role, `'${path}' : property '${unknown}' is unsupported`)
    checkContent(candidate, role, path, setting.sees)
    if (role === 'assistant') checkAssistant(candidate, path, setting, called)
    if (role !== 'tool') return
    if (candidate.tool_call_id === undefined) {
      throw unsatisfied(path, role, `'${path}.tool_call_id' : property 'tool_call_id' is missing`)
    }
    if (!called.has(candidate.tool_call_id)) {
      throw new ApiError(
        400,
        `messages[${index}].tool_call_id: \`${String(candidate.tool_call_id)}\` was not found in the preceding tool calls`,
      )
    }
  })
}

function checkContent(message: Fields, role: string, path: string, sees: boolean): void {
  const { content } = message
  if (typeof content === 'string') return
  if (content === undefined || content === null) {
    if (role === 'assistant' && message.tool_calls !== undefined) return
    throw unsatisfied(path, role, `'${path}.content' : property 'content' is missing`)
  }
  if (!Array.isArray(content)) throw unsatisfied(path, role, `'${path}.content' : value must be a string`)
  if (content.length === 0) throw unsatisfied(path, role, `'${path}.content' : minimum number of items is 1`)
  const types = role === 'user' ? ['text', 'image_url', 'document'] : ['text', 'document']
  content.forEach((part: unknown, index) => {
    const type = isFields(part) ? part.type : undefined
    if (typeof type !== 'string' || !types.includes(type)) {
      throw unsatisfied(path, role, `'${path}.content.${index}' : discriminator property 'type' has invalid value`)
    }
    if (type === 'image_url' && !sees) throw unsatisfied(path, role, `'${path}.content' : value must be a string`)
  })
}

function checkAssistant(message: Fields, path: string, setting: Setting, called: Set<unknown>): void {
  if (message.reasoning != null && !setting.reasons) {
    throw new ApiError(400, `${path}.reasoning: reasoning is not supported with this model`)
  }
  if (message.tool_calls === undefined) return
  if (!Array.isArray(message.tool_calls)) {
    throw unsatisfied(path, 'assistant', `'${path}.tool_calls' : value must be an array`)
  }
  if (message.tool_calls.length === 0) {
    throw unsatisfied(path, 'assistant', `'${path}.tool_calls' : minimum number of items is 1`)
  }
  message.tool_calls.forEach((call: unknown, index) => {
    const callPath = `${path}.tool_calls.${index}`
    if (!isFields(call) || !isFields(call.function) || typeof call.id !== 'string' || call.type !== 'function') {
      throw unsatisfied(path, 'assistant', `'${callPath}' : value must be a function call with an id and a type`)
    }
    if (typeof call.function.arguments !== 'string') {
      throw unsatisfied(path, 'assistant', `'${callPath}.function.arguments' : value must be a string`)
    }
    if (setting.offered !== undefined && !setting.offered.has(String(call.function.name))) {
      throw new ApiError(400, 'requested tool does not exist')
    }
    called.add(call.id)
  })
}

function unsatisfied(path: string, role: string, problem: string): ApiError {
  return new ApiError(400, `'${path}' : for 'role:${role}' the following must be satisfied[(${problem})]`)
}
