import type { StandardSchema } from '../../contracts/standard-schema.ts'
import type { Tool } from '../../contracts/tool.ts'
import type { JSONSchema } from '../../data/message.ts'
import { type ContentPart, imagePart, mediaPart, textPart } from './content-parts.ts'
import type { Fields } from './foreign-tool.ts'
import { isAsyncIterable, lastValue } from './last-value.ts'
import { isGiven, refusal, refuseUnsupported, type Unsupported } from './refusal.ts'
import { sameInput } from './same-input.ts'

/** Whether an object is a tool of LangChain, or another of its objects with `invoke`. */
export function isLangChain(value: Fields): boolean {
  return Array.isArray(value.lc_namespace) || (typeof value.invoke === 'function' && 'schema' in value)
}

/**
 * A LangChain tool as one of agentkit. The input is validated here and parsed by the tool itself.
 * @throws AgentKitError `invalid-argument`, naming the tool, for what has no counterpart
 */
export function fromLangChainTool(source: Fields, place: string): Tool {
  const { name, description } = source
  if (typeof source.invoke !== 'function' || !isGiven(source.schema)) {
    const what = typeof name === 'string' ? name : place
    throw refusal(what, 'it is an object of LangChain, but no tool: it has no `schema` with `invoke`.')
  }
  const named = String(name)
  refuseUnsupported(named, source, unsupported)
  return {
    name: name as string, // checked with the rest of the tool
    description: typeof description === 'string' ? description : '',
    inputSchema: schemaOf(source.schema, named),
    async execute(input, { signal, callId }) {
      const invoke = source.invoke as (input: unknown, config: object) => unknown
      const value = await invoke.call(source, input, { signal, toolCallId: callId })
      return resultOf(isAsyncIterable(value) ? await lastValue(value, signal) : value)
    },
  }
}

const unsupported: Unsupported = [
  ['returnDirect', isGiven, "would end the run with the tool's result. Leave it out, or set it to false."],
  [
    'extras',
    (extras) => isGiven(Object(extras).providerToolDefinition),
    'has a `providerToolDefinition`: the provider defines this tool, which agentkit does not request. Leave it out.',
  ],
]

function schemaOf(schema: unknown, name: string): JSONSchema | StandardSchema {
  if (isTextInput(schema)) return { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
  if (typeof schema !== 'object' && typeof schema !== 'function') throw refusal(name, '`schema` is not a schema.')
  // Both kinds of schema are checked with the rest of the tool.
  return sameInput(schema as JSONSchema | StandardSchema)
}

/** A tool of one text: LangChain gives it a schema of zod 3, whose converter users rarely have installed. */
function isTextInput(schema: unknown): boolean {
  const { typeName, schema: inner } = Object(Object(schema)._def) as Fields
  if (typeName !== 'ZodEffects') return false
  const { shape } = Object(inner) as Fields
  return (
    Object.keys(Object(shape)).join() === 'input' && Object(Object(Object(shape).input)._def).typeName === 'ZodOptional'
  )
}

function resultOf(value: unknown): unknown {
  const { lc_direct_tool_output: isMessage, lg_name: kind, content, status } = Object(value) as Fields
  if (kind === 'Command') throw new Error('The tool returned a Command, which only a graph of LangGraph can follow.')
  if (isMessage !== true) return contentOf(value)
  if (status === 'error') throw new Error(typeof content === 'string' ? content : JSON.stringify(content))
  return contentOf(content)
}

/** A list of blocks as parts that the model can read; anything else as it is. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content) || content.length === 0) return content
  const parts = content.map(blockPart)
  return parts.includes(undefined) ? content : parts
}

function blockPart(item: unknown): ContentPart | undefined {
  const block = Object(item) as Fields
  const mediaType = block.mimeType ?? block.mime_type
  const type = typeof mediaType === 'string' ? mediaType : undefined
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? textPart(block.text) : undefined
    case 'image_url':
      return imagePart(typeof block.image_url === 'string' ? block.image_url : Object(block.image_url).url)
    case 'image': {
      const { media_type: sourceType, data } = Object(block.source) as Fields
      return imagePart(block.data ?? block.url ?? data ?? Object(block.source).url, type ?? (sourceType as string))
    }
    case 'file':
      return isGiven(block.data ?? block.url) ? mediaPart(block.data ?? block.url, type) : undefined
    default:
      return undefined
  }
}
