import type { Tool } from '../contracts/tool.ts'
import { invalidArgument } from '../data/errors.ts'
import { checkOptions } from '../util/options/check-options.ts'
import { nearestWord } from '../util/text/nearest-word.ts'
import { ownTool, type ToolLike } from './define-tool.ts'
import { serverOf, serverTool } from './server-tool.ts'
import { toTools } from './to-tools.ts'

type Rule = (tool: { name: string; description: string }, input: unknown) => boolean | Promise<boolean>

/**
 * Tools with what their source keeps elsewhere: in `ai` 7 the caller of a tool says which calls need approval, not the
 * tool. It adds to the rules of the tools, and removes none of them.
 *
 * @param set a tool, a tool set, or a list of them
 * @param options.needsApproval which calls a person must approve: all, those of the tools with these names, or those for
 *   which a function of the tool and its validated input returns true
 * @throws AgentKitError `invalid-argument` for a name that no tool has
 * @example
 * new Agent({ name: 'Clerk', functions: [functionsOf(shopTools, { needsApproval: ['pay'] })] })
 */
export function functionsOf(
  set: ToolLike,
  options: { needsApproval?: boolean | readonly string[] | Rule } = {},
): Tool[] {
  checkOptions(options, {
    needsApproval: {
      is: 'true, false, a list of names of tools, or a function of the tool and its input',
      holds: (value: unknown) => typeof value === 'boolean' || typeof value === 'function' || isNames(value),
    },
  })
  const tools = toTools([set])
  const { needsApproval = false } = options
  if (typeof needsApproval === 'object') checkNames(needsApproval, [...tools.keys()])
  const functions = [...tools.values()].map((tool) => {
    if (typeof needsApproval === 'function') return withRule(tool, needsApproval)
    const isNamed = typeof needsApproval === 'object' && needsApproval.includes(tool.name)
    return needsApproval === true || isNamed ? copyOf(tool, true) : tool
  })
  sources.set(functions, set)
  return functions
}

/** What lists of `functionsOf` were made of. */
const sources = new WeakMap<object, ToolLike>()

/** What a list of `functionsOf` was made of, which may have a connection; `undefined` for other lists. */
export function sourceOf(list: object): ToolLike | undefined {
  return sources.get(list)
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

/** A misspelt name would leave a tool without its safeguard. */
function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const nearest = nearestWord(unknown, known)
  const hint = nearest === undefined ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean "${nearest}"?`
  throw invalidArgument(`\`needsApproval\` names "${unknown}", which is not a tool of the set. ${hint}`)
}

function withRule(tool: Tool, rule: Rule): Tool {
  const { name, description, needsApproval: own } = tool
  if (own === true) return tool
  return copyOf(tool, async (input, call) => {
    // Like the loop: what is not false needs approval.
    if (own && (await own(input, call)) !== false) return true
    return (await rule({ name, description }, input)) !== false
  })
}

/** The tool may be an object of a class, whose methods are not its own fields. */
function copyOf(tool: Tool, needsApproval: NonNullable<Tool['needsApproval']>): Tool {
  const { name, description, inputSchema, timeoutMs, idempotent, isEnabled, keepResult, instruction, client } = tool
  // Each of its calls waits for the client, which may deny it.
  if (client) return tool
  const copy = ownTool({
    ...{ name, description, inputSchema, needsApproval },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(idempotent !== undefined && { idempotent }),
    ...(keepResult !== undefined && { keepResult }),
    ...(instruction !== undefined && { instruction }),
    ...(isEnabled && { isEnabled: (run) => tool.isEnabled?.(run) ?? true }),
    execute: (input, context) => tool.execute(input, context),
  })
  const server = serverOf(tool)
  return server === undefined ? copy : serverTool(copy, server)
}
