import { firstChars, foreignSchemaProblem, invalidConfig, isRecord, nearestWord, sha256 } from '@agentkit/core/internal'
import { type Client, type Tool as ServerTool, specTypeSchemas } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'
import type { Server } from './options.ts'

/** The tools of a server that can be used, under the names that the agent has for them. */
export type ListedTools = { tools: Map<string, ServerTool>; warnings: string[] }

/**
 * Lists the tools of a server within the bounds.
 * @throws AgentKitError `invalid-config` for two tools of one name, and for a name of `tools` that the server does not have
 */
export async function listTools(client: Client, server: Server): Promise<ListedTools> {
  const warnings: string[] = []
  const who = `The MCP server "${server.name}"`
  const all: unknown[] = []
  if (!client.getServerCapabilities()?.tools) return { tools: new Map(), warnings: [`${who} has no tools.`] }
  let cursor: string | undefined
  let before = ''
  let pages = 0
  do {
    // `client.listTools()` reads all pages, and fails above the bound and for one tool that does not follow the protocol.
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params }
    const page = await client.request(request, specTypeSchemas.Result, { timeout: server.timeoutMs })
    if (!Array.isArray(page.tools)) throw new Error(`${who} returns no list of tools.`)
    // Null ends a list; an empty text does not.
    cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined
    // Some servers have a cursor on every page, and no page but one.
    const current = JSON.stringify([cursor, ...page.tools.map(nameOf)])
    if (cursor !== undefined && current === before) {
      cursor = undefined
      break
    }
    before = current
    // A spread of hundreds of thousands would exceed the stack.
    for (const tool of page.tools.slice(0, limits.tools + 1)) all.push(tool)
    pages++
  } while (cursor !== undefined && pages < limits.listPages && all.length <= limits.tools)
  if (all.length > limits.tools || cursor !== undefined) {
    const read = Math.min(all.length, limits.tools)
    warnings.push(
      `${who} lists more tools than are read: the first ${read} are used. Choose some of them by \`tools\`.`,
    )
  }
  const usable: ServerTool[] = []
  for (const [index, listed] of chosen(all.slice(0, limits.tools), server).entries()) {
    const { tool, problem } = await readTool(listed)
    if (!tool) {
      const name = nameOf(listed)
      const what = name === undefined ? `Tool ${index + 1}` : `The tool "${shortName(name)}"`
      warnings.push(`${what} of ${who.replace('The', 'the')} is left out: ${problem}.`)
      continue
    }
    usable.push(tool)
  }
  const tools = new Map<string, ServerTool>()
  const names = toolNames(usable, server.prefix)
  for (const [index, tool] of usable.entries()) {
    const name = names[index] ?? tool.name
    const other = tools.get(name)
    if (other) {
      const names = `"${shortName(other.name)}" and "${shortName(tool.name)}"`
      throw invalidConfig(
        `${who} has two tools for the name "${name}": ${names}. Leave one of them out by \`tools\`; a \`prefix\` does not help here.`,
      )
    }
    tools.set(name, tool)
  }
  return { tools, warnings }
}

/** A tool that can be used, or why it cannot. */
async function readTool(
  listed: unknown,
): Promise<{ tool: ServerTool; problem?: never } | { tool?: never; problem: string }> {
  const result = await validated(listed)
  if (!result) return { problem: 'it is nested too deep' }
  if (result.issues) {
    const [key] = result.issues[0]?.path ?? []
    const part = key === undefined ? 'it' : `its \`${String(typeof key === 'object' ? key.key : key)}\``
    return { problem: `${part} does not follow the protocol` }
  }
  const problem = foreignSchemaProblem(result.value.inputSchema)
  return problem === undefined ? { tool: result.value } : { problem }
}

type Validation = Awaited<ReturnType<(typeof specTypeSchemas.Tool)['~standard']['validate']>>

/** Whether a tool follows the protocol; `undefined` for one of thousands of levels, on which the check itself fails. */
async function validated(listed: unknown): Promise<Validation | undefined> {
  try {
    return await specTypeSchemas.Tool['~standard'].validate(listed)
  } catch {
    return undefined
  }
}

/**
 * The names of tools for models. Names in other scripts that become the same one end with a hash of their own, whichever the
 * server lists first: `天気` and `検索` would both be `__`.
 */
function toolNames(tools: readonly ServerTool[], prefix: string | undefined): string[] {
  const plain = tools.map(({ name }) => toolName(name, prefix))
  const once = new Set(plain)
  const twice = new Set(plain.filter((name) => !once.delete(name)))
  return tools.map(({ name }, index) => {
    const own = plain[index] ?? ''
    const isClear = !twice.has(own) || /^[\0-\x7f]*$/.test(name)
    return isClear ? own : `${own.slice(0, limits.nameChars - 9)}_${sha256(name).slice(0, 8)}`
  })
}

/** A name that models accept. */
function toolName(name: string, prefix: string | undefined): string {
  const full = (prefix === undefined ? name : `${prefix}_${name}`).replace(/[^A-Za-z0-9_-]/g, '_')
  return (/^[A-Za-z_]/.test(full) ? full : `_${full}`).slice(0, limits.nameChars)
}

function nameOf(listed: unknown): string | undefined {
  return isRecord(listed) && typeof listed.name === 'string' ? listed.name : undefined
}

function chosen(listed: readonly unknown[], { tools: wanted, name: server }: Server): readonly unknown[] {
  if (!wanted) return listed
  const names = listed.map(nameOf).filter((name) => name !== undefined)
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const nearest = nearestWord(unknown, names)
    const hint =
      nearest === undefined ? `It has: ${names.slice(0, 20).map(shortName).join(', ')}.` : `Did you mean "${nearest}"?`
    throw invalidConfig(`The MCP server "${server}" has no tool "${unknown}", which \`tools\` names. ${hint}`)
  }
  return listed.filter((tool) => wanted.includes(nameOf(tool) ?? ''))
}

function shortName(name: string): string {
  return name.length > limits.nameChars ? `${firstChars(name, limits.nameChars)}…` : name
}
