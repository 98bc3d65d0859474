import type { Tool } from '../contracts/tool.ts'
import { type AgentKitError, invalidArgument, invalidConfig } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { carriedTool, checkTool, isOwnTool, type ToolFunction, type ToolLike } from './define-tool.ts'
import { fromAISDKTool, fromNamedTool, isAISDKTool, looksLikeTool } from './foreign/ai-sdk-tool.ts'
import type { Fields } from './foreign/foreign-tool.ts'
import { fromLangChainTool, isLangChain } from './foreign/langchain-tool.ts'
import { fromOpenAIAgentsTool, isOpenAIAgentsTool } from './foreign/openai-agents-tool.ts'
import { serverOf } from './server-tool.ts'

/**
 * An agent's functions as tools, by name. One that is listed twice is one tool.
 * @throws AgentKitError `invalid-argument` for a name that two tools have, for a function without a schema, and for a tool
 *   of another library that would behave differently here; `invalid-config` for a name that an MCP server uses too
 */
export function toTools(functions: readonly ToolLike[]): Map<string, Tool> {
  const tools = new Map<string, Tool>()
  const seen = new Set<Tool | ToolFunction>()
  for (const { item, place } of listed(functions, 'functions')) {
    // A module may export a function by two names.
    if (seen.has(item)) continue
    seen.add(item)
    const next = typeof item === 'function' ? carriedTool(item, place) : checkTool(item)
    const other = tools.get(next.name)
    if (other) throw equalNames(next, other)
    tools.set(next.name, next)
  }
  return tools
}

/** The error of two tools of one agent with the same name. */
export function equalNames(tool: Tool, other: Tool): AgentKitError {
  const server = serverOf(tool) ?? serverOf(other)
  const problem = `Two tools are named "${tool.name}"`
  if (server === undefined) return invalidArgument(`${problem}. Rename one of them.`)
  return invalidConfig(
    `${problem}, one of them of the MCP server "${server}". Give the server a \`prefix\`, or leave the tool out by \`tools\`.`,
  )
}

/**
 * The items of an agent's functions without the lists and sets that hold them. Plain functions are not compiled.
 * @throws AgentKitError `invalid-argument` for a value that is neither a function nor a tool
 */
export function listTools(functions: readonly ToolLike[]): (Tool | ToolFunction)[] {
  return [...listed(functions, 'functions')].map(({ item }) => item)
}

type Listed = { item: Tool | ToolFunction; place: string }

/** @param place of the list, for messages: `functions[2]` */
function* listed(items: readonly ToolLike[], place: string, depth = 0): Generator<Listed> {
  if (depth > limits.toolListDepth) {
    throw invalidArgument(`${place} is nested in more than ${limits.toolListDepth} lists. Does a list hold itself?`)
  }
  // Not `forEach`, which skips holes.
  for (const [index, item] of items.entries()) {
    const itemPlace = `${place}[${index}]`
    if (Array.isArray(item)) yield* listed(item, itemPlace, depth + 1)
    else if (typeof item === 'function') yield { item, place: itemPlace }
    else for (const tool of toolsAt(item, itemPlace)) yield { item: tool, place: itemPlace }
  }
}

/** The tools of an object: one, or those of a tool set. */
function toolsAt(item: unknown, place: string): Tool[] {
  if (typeof item !== 'object' || item === null || 'then' in item) throw noTool(item, place)
  if ('chat' in item && 'samplePrompts' in item) throw agentAmongTools(item as Fields, place)
  if (isOwnTool(item)) return [item]
  if (isMcpClient(item as Fields)) throw mcpAmongTools(place)
  const fields = item as Fields
  if (isLangChain(fields)) return [fromLangChainTool(fields, place)]
  if (isOpenAIAgentsTool(fields)) return [fromOpenAIAgentsTool(fields)]
  const entries = Object.entries(fields)
  if (entries.some(([, value]) => looksLikeTool(value)) && !looksLikeTool(fields)) {
    return entries.map(([name, value]) => toolOfSet(name, value, place))
  }
  if (typeof fields.name === 'string') return [namedTool(fields as Fields & { name: string }, place)]
  if (!looksLikeTool(fields)) throw noTool(item, place)
  const title =
    fields.type === 'provider' || fields.type === 'provider-defined' ? "a provider's tool" : 'an AI SDK tool'
  throw invalidArgument(`${place} is ${title} without a name. Give it a name: functions: [{ weather: weatherTool }].`)
}

function isMcpClient({ listTools, callTool }: Fields): boolean {
  return typeof listTools === 'function' || typeof callTool === 'function'
}

function mcpAmongTools(place: string): Error {
  return invalidArgument(
    `${place} is a client of MCP, not a tool. Connect its server by \`await mcp({ url })\`, or \`{ command, args }\`, of @agentkit/mcp.`,
  )
}

function agentAmongTools({ name }: Fields, place: string): Error {
  return invalidArgument(
    `${place} is the agent "${String(name)}", not a tool. Make it a member of a swarm, new Swarm({ agents: […] }), or call its \`chat\` in a tool.`,
  )
}

function toolOfSet(name: string, value: unknown, place: string): Tool {
  if (looksLikeTool(value)) {
    return isAISDKTool(value) || typeof value.description !== 'string'
      ? fromAISDKTool(name, value)
      : fromNamedTool(name, value)
  }
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`
  throw invalidArgument(
    `${place}: "${name}" of the tool set is no AI SDK tool, but ${found}. List other tools beside the set.`,
  )
}

function namedTool(fields: Fields & { name: string }, place: string): Tool {
  if (isHosted(fields)) {
    throw invalidArgument(
      `${place}: "${fields.name}" is executed by its provider (${String(fields.type)}), which agentkit does not request. Leave it out.`,
    )
  }
  return isAISDKTool(fields) ? fromAISDKTool(fields.name, fields) : fromNamedTool(fields.name, fields)
}

/** Hosted tools of the OpenAI Agents SDK have a type of their own and nothing to execute. */
function isHosted({ type, inputSchema, parameters, execute }: Fields): boolean {
  return typeof type === 'string' && inputSchema === undefined && parameters === undefined && execute === undefined
}

function noTool(item: unknown, place: string): Error {
  const found =
    typeof item !== 'object'
      ? `of type ${typeof item}${item === undefined ? '' : ': pass the function itself, not its name or result'}`
      : item === null
        ? 'null'
        : 'then' in item
          ? 'a Promise: await it, or where a function was called pass the function itself'
          : holdsFunctions(item)
            ? 'an object of functions: list the functions themselves, such as by Object.values(…) of a module'
            : 'an object without `name`, `inputSchema` and `execute`'
  const cause = item === undefined ? ' Where modules import each other, one of them has not run yet.' : ''
  return invalidArgument(`${place} is neither a function nor a tool, but ${found}.${cause}`)
}

/** Whether it is a module, or an object that groups functions: the name of each is its own, not its key. */
function holdsFunctions(item: object): boolean {
  const values: unknown[] = Object.values(item)
  const isFunction = (value: unknown): boolean => typeof value === 'function'
  return Object.prototype.toString.call(item) === '[object Module]'
    ? values.some(isFunction)
    : values.length > 0 && values.every(isFunction)
}
