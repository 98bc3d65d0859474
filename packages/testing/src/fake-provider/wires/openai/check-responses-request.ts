import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkFunctions, checkJSONSchemaFormat } from './check-tools.ts'
import {
  refuseBreakpoints,
  refuseSampling,
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
    'access_programs background context_management conversation image include input instructions max_output_tokens ' +
    'max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options ' +
    'temperature text tool_choice tools top_logprobs top_p truncation user'
  ).split(' '),
)

const itemTypes = (
  'message function_call function_call_output reasoning item_reference file_search_call web_search_call computer_call ' +
  'computer_call_output image_generation_call code_interpreter_call local_shell_call local_shell_call_output ' +
  'shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools mcp_approval_request ' +
  'mcp_approval_response mcp_call custom_tool_call custom_tool_call_output compaction'
).split(' ')

const inputParts = ['input_text', 'input_image', 'input_file', 'input_audio']
const partTypes: Record<string, readonly string[]> = {
  user: inputParts,
  system: inputParts,
  developer: inputParts,
  assistant: ['output_text', 'refusal'],
}

/** The prefixes of item ids that a client sends back. */
const idPrefixes: Record<string, string> = { function_call: 'fc', reasoning: 'rs', message: 'msg' }

/** Rejects what `/v1/responses` rejects. */
export function checkResponsesRequest(body: Fields): void {
  requireField(body, 'model', '')
  refuseUnknownKeys(body, knownKeys)
  refuseBreakpoints(body)
  const input = requireField(body, 'input', '')
  if (typeof input !== 'string') {
    const items = requireList(input, 'input').map((item, index) => checkItem(item, `input[${index}]`))
    checkReasoning(items, body.store === false)
    if (!body.previous_response_id && !body.conversation) checkCallsHaveOutputs(items)
  }
  checkOptions(body)
}

function checkItem(candidate: unknown, path: string): Fields {
  const item = requireFields(candidate, path)
  const type = item.type ?? 'message'
  requireOneOf(type, itemTypes, path)
  const prefix = idPrefixes[String(type)]
  if (typeof item.id === 'string' && prefix && !item.id.startsWith(prefix)) {
    throw new ApiError(400, `Invalid '${path}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`, {
      param: `${path}.id`,
      code: 'invalid_value',
    })
  }
  if (type === 'message') checkMessage(item, path)
  if (type === 'function_call') {
    requireShort(requireField(item, 'call_id', path), 64, `${path}.call_id`)
    requireField(item, 'name', path)
    requireText(item.arguments, `${path}.arguments`)
  }
  if (type === 'function_call_output') {
    requireField(item, 'call_id', path)
    if (typeof item.output !== 'string') checkParts(item.output, inputParts, `${path}.output`)
  }
  if (type === 'reasoning') requireList(item.summary, `${path}.summary`)
  return item
}

function checkMessage(message: Fields, path: string): void {
  const role = requireField(message, 'role', path)
  requireOneOf(role, Object.keys(partTypes), `${path}.role`)
  if (typeof message.content === 'string') return
  checkParts(message.content, partTypes[String(role)] ?? inputParts, `${path}.content`)
}

function checkParts(content: unknown, types: readonly string[], path: string): void {
  requireList(content, path).forEach((candidate, index) => {
    const part = requireFields(candidate, `${path}[${index}]`)
    requireOneOf(part.type, types, `${path}[${index}]`)
    if (part.type === 'input_text' || part.type === 'output_text') requireText(part.text, `${path}[${index}].text`)
    if (part.type === 'input_image' && !part.image_url) requireField(part, 'file_id', `${path}[${index}]`)
    if (part.type === 'input_file' && !part.file_url && !part.file_id) {
      requireField(part, 'file_data', `${path}[${index}]`)
    }
  })
}

/** Nothing is stored with `store: false`, so reasoning comes back whole, followed by its result. */
function checkReasoning(items: readonly Fields[], stateless: boolean): void {
  items.forEach((item, index) => {
    if (item.type !== 'reasoning') return
    if (stateless && typeof item.encrypted_content !== 'string') {
      throw new ApiError(
        404,
        `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. ` +
          'Try again with `store` set to true, or remove this item from your input.',
        { param: 'input' },
      )
    }
    const next = items[index + 1]
    const made = next && (next.role === 'assistant' || /^reasoning$|_call$/.test(String(next.type)))
    if (!made) {
      throw new ApiError(
        400,
        `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
        { param: 'input' },
      )
    }
  })
}

function checkCallsHaveOutputs(items: readonly Fields[]): void {
  const open = new Set<unknown>()
  for (const item of items) {
    if (item.type === 'function_call') open.add(item.call_id)
    if (item.type !== 'function_call_output' || open.delete(item.call_id)) continue
    throw new ApiError(400, `No tool call found for function call output with call_id ${item.call_id}.`, {
      param: 'input',
    })
  }
  for (const callId of open) {
    throw new ApiError(400, `No tool output found for function call ${callId}.`, { param: 'input' })
  }
}

function checkOptions(body: Fields): void {
  const tools = body.tools === undefined || body.tools === null ? [] : requireList(body.tools, 'tools')
  checkFunctions(
    tools.flatMap((candidate, index) => {
      const tool = requireFields(candidate, `tools[${index}]`)
      const type = requireField(tool, 'type', `tools[${index}]`)
      return type === 'function' ? [{ definition: tool, path: `tools[${index}]` }] : []
    }),
  )
  if (typeof body.max_output_tokens === 'number' && body.max_output_tokens < 16) {
    throw new ApiError(
      400,
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, " +
        `but got ${body.max_output_tokens} instead.`,
      { param: 'max_output_tokens', code: 'integer_below_min_value' },
    )
  }
  refuseSampling(body, isFields(body.reasoning) ? body.reasoning.effort : undefined)
  const format = isFields(body.text) ? body.text.format : undefined
  if (isFields(format) && format.type === 'json_schema') checkJSONSchemaFormat(format, 'text.format')
}
