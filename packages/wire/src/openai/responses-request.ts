import type { CachePlan, ModelRequest, ToolChoice, ToolSpec } from '@agentkit/core'
import { convertedOf } from '@agentkit/core/internal'
import { splitInstructions } from '../messages/convert-conversation.ts'
import { hasNonWebURL, isCommonImage, type MediaPart } from '../messages/media.ts'
import { readableMessages } from '../messages/readable-messages.ts'
import { continuePrompt, wellFormed } from '../messages/text.ts'
import { withItems } from './array-items.ts'
import { cacheFields, markEnds, withBreakpoint } from './prompt-cache.ts'
import { toResponsesItems } from './responses-items.ts'
import type { ResponsesInputPart, ResponsesItem, ResponsesRequest, ResponsesTool } from './responses-types.ts'
import { isStrictSchema, toolParameters } from './strict-schema.ts'
import { supportedOptions } from './supported-options.ts'
import type { OpenAITraits } from './traits.ts'

/**
 * A streaming request for the Responses API without stored state: it contains the whole conversation, with encrypted
 * reasoning.
 * @param model its id on the server
 * @param owner `provider/model`; opaque data of other owners is left out
 */
export function toResponsesRequest(
  model: string,
  owner: string,
  request: ModelRequest,
  traits: OpenAITraits,
): { body: ResponsesRequest; warnings: string[] } {
  const warnings: string[] = []
  const readable = readableMessages(request.messages, readByResponses, model, warnings)
  const { instructions, rest } = splitInstructions(readable)
  const input = toResponsesItems(rest, owner, convertedOf(request))
  const supported = supportedOptions(request, traits, model, warnings)
  // All messages were blank; an empty list is rejected.
  if (input.length === 0)
    input.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: continuePrompt }] })
  const { cache } = request
  const body: ResponsesRequest = { model, input, stream: true, store: false, ...cacheFields(cache, traits.caching) }
  if (cache && traits.caching === 'breakpoints') body.input = markedItems(instructions, input, cache)
  else if (instructions !== '') body.instructions = instructions
  if (traits.reasoning !== false) body.include = ['reasoning.encrypted_content']
  if (request.tools?.length) {
    body.tools = request.tools.map(responsesTool)
    if (request.toolChoice !== undefined) body.tool_choice = toolChoice(request.toolChoice)
    if (supported.parallelToolCalls !== undefined) body.parallel_tool_calls = supported.parallelToolCalls
  }
  if (request.output) {
    const schema = withItems(request.output)
    body.text = { format: { type: 'json_schema', name: 'answer', schema, strict: isStrictSchema(schema) } }
  }
  if (request.maxOutputTokens !== undefined) body.max_output_tokens = answerLimit(request.maxOutputTokens, warnings)
  if (supported.temperature !== undefined) body.temperature = supported.temperature
  if (supported.stop) warnings.push('The Responses API does not take `stop`: it was left out.')
  const { effort } = supported
  if (effort !== undefined) body.reasoning = { effort, ...(effort !== 'none' && { summary: 'auto' }) }
  return { body, warnings }
}

/** The API refuses a lower limit. */
const leastLimit = 16

function answerLimit(asked: number, warnings: string[]): number {
  if (asked >= leastLimit) return asked
  warnings.push(
    `The Responses API takes no limit below ${leastLimit} tokens: \`maxOutputTokens\` ${asked} was sent as that.`,
  )
  return leastLimit
}

/** The field for instructions takes no breakpoint; a message with them does. */
function markedItems(instructions: string, input: readonly ResponsesItem[], { marks }: CachePlan): ResponsesItem[] {
  const first: ResponsesItem[] =
    instructions === '' ? [] : [{ type: 'message', role: 'developer', content: instructions }]
  return markEnds([...first, ...input], marks, {
    instructions: first.length,
    isAnswer: (item) => partsOf(item) === undefined,
    inParts: (item) => withParts(item, (parts) => parts),
    marked: (item) => (partsOf(item)?.length ? withParts(item, withBreakpoint) : undefined),
  })
}

/** The parts of an item; answers of the model have none. */
function partsOf(item: ResponsesItem): ResponsesInputPart[] | undefined {
  if (item.type === 'function_call_output') return toParts(item.output)
  return item.type === 'message' && item.role !== 'assistant' ? toParts(item.content) : undefined
}

function toParts(content: string | ResponsesInputPart[]): ResponsesInputPart[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'input_text', text: content }]
}

function withParts(item: ResponsesItem, change: (parts: ResponsesInputPart[]) => ResponsesInputPart[]): ResponsesItem {
  const parts = partsOf(item)
  if (!parts || parts.length === 0) return item
  if (item.type === 'function_call_output') return { ...item, output: change(parts) }
  return { ...item, content: change(parts) } as ResponsesItem // a message with parts
}

/** OpenAI fetches files from the web, and detects their types. */
function readByResponses(part: MediaPart): boolean {
  if (part.type === 'image') return isCommonImage(part)
  return part.base64 === undefined ? !hasNonWebURL(part) : documents.test(part.mediaType)
}

/** https://developers.openai.com/api/docs/guides/file-inputs: PDFs, office documents, and most text formats. */
const documents =
  /^text\/|[/+](?:pdf|json|xml|yaml|x-yaml|toml|javascript|typescript|csv|sql|rtf|msword)\b|^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-(?:excel|powerpoint))/

function responsesTool({ name, description, inputSchema }: ToolSpec): ResponsesTool {
  const parameters = toolParameters(inputSchema)
  // Without `strict` the API would change the schema to a strict one.
  const strict = isStrictSchema(parameters)
  return { type: 'function', name, description: wellFormed(description), parameters, strict }
}

function toolChoice(choice: ToolChoice): NonNullable<ResponsesRequest['tool_choice']> {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.tool }
}
