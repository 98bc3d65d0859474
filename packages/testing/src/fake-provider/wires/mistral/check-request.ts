import type { Fields } from '../wire-spec.ts'
import { checkMessages } from './check-messages.ts'
import { checkTools } from './check-tools.ts'
import {
  invalidField,
  refuseExtra,
  requireField,
  requireFields,
  requireList,
  requireLiteral,
  requireText,
} from './checks.ts'

const knownKeys = (
  'model temperature top_p max_tokens stream stop random_seed metadata messages response_format tools tool_choice ' +
  'presence_penalty frequency_penalty n prediction parallel_tool_calls reasoning_effort prompt_mode guardrails ' +
  'prompt_cache_key service_tier safe_prompt'
).split(' ')

/** Rejects what Mistral's `/v1/chat/completions` rejects: first by the type of each field, then by the messages' content. */
export function checkMistralRequest(body: Fields): void {
  refuseExtra(body, knownKeys, '')
  const model = requireText(requireField(body, 'model', ''), 'model')
  const messages = requireList(requireField(body, 'messages', ''), 'messages')
  checkTools(body.tools ?? [])
  checkToolChoice(body.tool_choice)
  checkOptions(body)
  checkMessages(messages, model)
}

function checkToolChoice(choice: unknown): void {
  if (choice === undefined || choice === null) return
  if (typeof choice === 'string') {
    requireLiteral(choice, ['auto', 'none', 'any', 'required'], 'tool_choice')
    return
  }
  const named = requireField(requireFields(choice, 'tool_choice'), 'function', 'tool_choice')
  const { name } = requireFields(named, 'tool_choice.function')
  requireText(name, 'tool_choice.function.name')
}

function checkOptions(body: Fields): void {
  checkNumber(body.temperature, 'temperature', 1.5)
  checkNumber(body.top_p, 'top_p', 1)
  checkNumber(body.max_tokens, 'max_tokens', Number.MAX_SAFE_INTEGER)
  if (body.reasoning_effort != null) {
    requireLiteral(body.reasoning_effort, ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'], 'reasoning_effort')
  }
  if (body.prompt_mode != null) requireLiteral(body.prompt_mode, ['reasoning'], 'prompt_mode')
  if (body.service_tier != null) requireLiteral(body.service_tier, ['auto', 'standard_only'], 'service_tier')
  if (body.response_format == null) return
  const format = requireFields(body.response_format, 'response_format')
  refuseExtra(format, ['type', 'json_schema'], 'response_format')
  requireLiteral(format.type ?? 'text', ['text', 'json_object', 'json_schema'], 'response_format.type')
  if (format.type !== 'json_schema') return
  const path = 'response_format.json_schema'
  const schema = requireFields(requireField(format, 'json_schema', 'response_format'), path)
  refuseExtra(schema, ['name', 'description', 'schema', 'strict'], path)
  requireText(requireField(schema, 'name', path), `${path}.name`)
  requireFields(requireField(schema, 'schema', path), `${path}.schema`)
}

function checkNumber(value: unknown, path: string, most: number): void {
  if (value === undefined || value === null) return
  if (typeof value !== 'number') throw invalidField('float_type', path, 'Input should be a valid number')
  if (value < 0) throw invalidField('greater_than_equal', path, 'Input should be greater than or equal to 0')
  if (value > most) throw invalidField('less_than_equal', path, `Input should be less than or equal to ${most}`)
}
