import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { checkFunctionName } from './check-tools.ts'
import {
  invalidField,
  refuseExtra,
  requireField,
  requireFields,
  requireList,
  requireLiteral,
  requireTag,
  requireText,
} from './checks.ts'

const knownKeys: Record<string, readonly string[]> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
}

/** The fields of each chunk type; the first one is required. */
const chunkKeys: Record<string, readonly string[]> = {
  text: ['text', 'type'],
  image_url: ['image_url', 'type'],
  document_url: ['document_url', 'type', 'document_name'],
  reference: ['reference_ids', 'type'],
  file: ['file_id', 'type'],
  thinking: ['thinking', 'type', 'signature', 'closed'],
  input_audio: ['input_audio', 'type'],
}

/** Rejects malformed messages, and then those in an invalid order. */
export function checkMessages(candidates: readonly unknown[], model: string): void {
  const messages = candidates.map((candidate, index) => checkForm(candidate, `messages.${index}`))
  checkOrder(messages)
  messages.forEach((message, index) => {
    if (message.role === 'assistant') checkAssistant(message, index === messages.length - 1)
    if (message.role === 'tool') checkToolMessage(message)
    if (hasImage(message) && isTextModel(model)) {
      throw new ApiError(400, `Image input is not enabled for this model: ${model}`, {
        type: 'invalid_request_message',
      })
    }
  })
  checkCallsHaveResults(messages)
}

function checkForm(candidate: unknown, messagePath: string): Fields {
  const message = requireFields(candidate, messagePath)
  const role = requireTag(message, 'role', Object.keys(knownKeys), messagePath)
  const path = `${messagePath}.${role}`
  refuseExtra(message, knownKeys[role] ?? [], path)
  const content = role === 'assistant' ? message.content : requireField(message, 'content', path)
  checkContent(content, role === 'system' ? ['text', 'thinking'] : Object.keys(chunkKeys), `${path}.content`)
  const calls = requireList(message.tool_calls ?? [], `${path}.tool_calls`)
  calls.forEach((call, index) => void checkCall(call, `${path}.tool_calls.${index}`))
  return message
}

function checkContent(content: unknown, types: readonly string[], path: string): void {
  if (typeof content === 'string' || content === null || content === undefined) return
  requireList(content, path).forEach((candidate, index) => {
    const chunk = requireFields(candidate, `${path}.${index}`)
    const type = requireTag(chunk, 'type', types, `${path}.${index}`)
    const [main = '', ...others] = chunkKeys[type] ?? []
    const chunkPath = `${path}.${index}.${type}`
    refuseExtra(chunk, [main, ...others], chunkPath)
    const value = requireField(chunk, main, chunkPath)
    if (type === 'text' || type === 'document_url') requireText(value, `${chunkPath}.${main}`)
    if (type === 'thinking') checkContent(requireList(value, `${chunkPath}.thinking`), ['text', 'reference'], chunkPath)
    if (type === 'image_url' && typeof value !== 'string') {
      const image = requireFields(value, `${chunkPath}.image_url`)
      refuseExtra(image, ['url', 'detail'], `${chunkPath}.image_url`)
      requireText(requireField(image, 'url', `${chunkPath}.image_url`), `${chunkPath}.image_url.url`)
    }
  })
}

function checkCall(candidate: unknown, path: string): void {
  const call = requireFields(candidate, path)
  refuseExtra(call, ['id', 'type', 'function', 'index'], path)
  if (call.type !== undefined) requireLiteral(call.type, ['function'], `${path}.type`)
  const details = requireFields(requireField(call, 'function', path), `${path}.function`)
  requireText(requireField(details, 'name', `${path}.function`), `${path}.function.name`)
  const input = requireField(details, 'arguments', `${path}.function`)
  if (typeof input !== 'string') requireFields(input, `${path}.function.arguments`)
  if (call.index !== undefined && typeof call.index !== 'number') {
    throw invalidField('int_type', `${path}.index`, 'Input should be a valid integer')
  }
}

/** The roles that may follow each role. */
const followers: Record<string, readonly string[]> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
}

function checkOrder(messages: readonly Fields[]): void {
  const last = messages.at(-1)
  if (last === undefined) throw invalidOrder('Conversation must have at least one message')
  if (messages.length === 1 && last.role !== 'user' && last.role !== 'system') {
    throw invalidOrder('Conversation must start with a user message or system message')
  }
  if (last.role === 'assistant' && last.prefix !== true) {
    throw invalidOrder('Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant')
  }
  messages.forEach((message, index) => {
    const previous = messages[index - 1]
    if (previous === undefined || followers[String(previous.role)]?.includes(String(message.role))) return
    throw invalidOrder(`Unexpected role '${String(message.role)}' after role '${String(previous.role)}'`)
  })
}

function checkAssistant(message: Fields, isLast: boolean): void {
  const calls = callsOf(message)
  const { content } = message
  if (calls.length === 0 && (!content || (Array.isArray(content) && content.length === 0))) {
    throw new ApiError(400, 'Assistant message must have either content or tool_calls, but not none.', {
      type: 'invalid_request_assistant_message',
      code: '3240',
    })
  }
  for (const call of calls) {
    checkCallId(call.id, 'invalid_function_call')
    // Checked before: a function with a name that is text.
    checkFunctionName((call.function as { name: string }).name, 'invalid_function_call')
  }
  if (message.prefix === true && !isLast) {
    throw new ApiError(400, 'Assistant message with prefix True must be last message', {
      type: 'invalid_request_assistant_message',
      code: '3240',
    })
  }
}

function checkToolMessage(message: Fields): void {
  if (typeof message.name === 'string') checkFunctionName(message.name, 'invalid_tool_message')
  if (message.tool_call_id === undefined || message.tool_call_id === null) {
    throw new ApiError(400, 'Tool call id has to be defined.', { type: 'invalid_tool_message' })
  }
  checkCallId(message.tool_call_id, 'invalid_tool_message')
}

function checkCallId(id: unknown, type: string): void {
  if (id === 'null' || id === undefined) {
    throw new ApiError(400, 'Tool call id has to be defined in serving mode.', { type, code: '3280' })
  }
  if (typeof id === 'string' && /^[a-zA-Z0-9]{9}$/.test(id)) return
  const message = `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`
  throw new ApiError(400, message, { type, code: '3280' })
}

/** Each call is answered once before the next assistant message, and nothing else is answered. */
function checkCallsHaveResults(messages: readonly Fields[]): void {
  let open = new Set<unknown>()
  let answered = new Set<unknown>()
  const refuseOpen = (): void => {
    if (answered.size < open.size) throw invalidOrder('Not the same number of function calls and responses')
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      const id = message.tool_call_id
      if (answered.has(id)) throw invalidOrder(`Duplicate tool call id ${String(id)} in tool results`)
      if (!open.has(id)) throw invalidOrder(`Unexpected tool call id ${String(id)} in tool results`)
      answered.add(id)
    }
    if (message.role !== 'assistant') continue
    refuseOpen()
    open = new Set()
    answered = new Set()
    for (const { id } of callsOf(message)) {
      if (open.has(id)) throw invalidOrder(`Duplicate tool call id ${String(id)} in assistant message`)
      open.add(id)
    }
  }
  refuseOpen()
}

function callsOf(message: Fields): Fields[] {
  // Checked before: a list of objects, where there is one.
  return (message.tool_calls ?? []) as Fields[]
}

function invalidOrder(message: string): ApiError {
  return new ApiError(400, message, { type: 'invalid_request_message_order', code: '3230' })
}

function hasImage(message: Fields): boolean {
  return Array.isArray(message.content) && message.content.some((chunk: Fields) => chunk.type === 'image_url')
}

/** The models that are known not to accept images; others may. */
function isTextModel(model: string): boolean {
  return /^(?:open-mi[sx]tral|codestral|mistral-(?:tiny|embed)|ministral-[38]b-2410|voxtral)/.test(model)
}
