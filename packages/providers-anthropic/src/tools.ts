import type { ModelRequest, ToolChoice, ToolSpec } from '@agentkit/core'
import { isBlank, wellFormed } from '@agentkit/wire'
import type { Tool, ToolChoice as WireToolChoice } from '@anthropic-ai/sdk/resources/messages'
import { toolSchema } from './tool-schema.ts'
import type { Turn } from './types.ts'

/** The keys of each tool's input that have another name in the API. */
export type RenamedKeys = ReadonlyMap<string, ReadonlyMap<string, string>>

export type WireTools = { tools?: Tool[]; tool_choice?: WireToolChoice; renamed: RenamedKeys }

/**
 * The tools of a request, and how much choice the model has among them.
 * @param unforced why the model cannot be made to call a tool in this request; `undefined` when it can
 */
export function toTools(
  request: ModelRequest,
  turns: readonly Turn[],
  unforced: string | undefined,
  warnings: string[],
): WireTools {
  const { tools = [], toolChoice, parallelToolCalls } = request
  if (tools.length === 0) return calledTools(turns)
  const converted = tools.map(toTool)
  const choice =
    toChoice(toolChoice, unforced, warnings) ?? (parallelToolCalls === false ? { type: 'auto' } : undefined)
  if (choice && choice.type !== 'none' && parallelToolCalls === false) choice.disable_parallel_tool_use = true
  return {
    tools: converted.map(({ tool }) => tool),
    ...(choice && { tool_choice: choice }),
    renamed: new Map(converted.flatMap(({ tool, renamed }) => (renamed.size > 0 ? [[tool.name, renamed]] : []))),
  }
}

function toTool({ name, description, inputSchema }: ToolSpec): { tool: Tool; renamed: ReadonlyMap<string, string> } {
  const { schema, renamed } = toolSchema(inputSchema)
  const tool: Tool = { name, input_schema: schema }
  if (!isBlank(description)) tool.description = wellFormed(description)
  return { tool, renamed }
}

function toChoice(
  choice: ToolChoice | undefined,
  unforced: string | undefined,
  warnings: string[],
): WireToolChoice | undefined {
  if (choice === undefined) return undefined
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (unforced !== undefined) {
    warnings.push(`${unforced}: \`toolChoice\` was sent as "auto".`)
    return { type: 'auto' }
  }
  return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.tool }
}

/** The API requires tools for a conversation that holds calls, also when the request offers none. */
function calledTools(turns: readonly Turn[]): WireTools {
  const blocks = turns.flatMap(({ content }) => content)
  const names = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])))
  if (names.size === 0) return { renamed: new Map() }
  const tools = [...names].map((name): Tool => ({ name, input_schema: { type: 'object', properties: {} } }))
  return { tools, tool_choice: { type: 'none' }, renamed: new Map() }
}
