import type { ToolSpec } from '../contracts/model.ts'
import type { Tool, ToolRun } from '../contracts/tool.ts'
import { isAgentKitError, messageOf } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { type CompiledSchema, compileSchema } from '../schema/schema.ts'
import { untilAborted } from '../util/async/abort.ts'
import { wellFormedJSON } from '../util/json/well-formed-json.ts'
import { redactSecrets } from '../util/text/redact.ts'
import { serverOf } from './server-tool.ts'

/** An agent's tools with compiled schemas: their specs for the model, and the functions to run. */
export type ToolBox = {
  specs: ToolSpec[]
  byName: Map<string, { tool: Tool; schema: CompiledSchema }>
  /** Whether any of them may need approval, or is executed by the client. */
  mayNeedApproval: boolean
  /** A warning, if servers make the tools so many that models choose badly among them. */
  tooMany?: string
}

/** Compiles the schemas of an agent's tools. */
export async function compileTools(tools: Map<string, Tool>): Promise<ToolBox> {
  const byName: ToolBox['byName'] = new Map()
  for (const tool of tools.values()) {
    byName.set(tool.name, { tool, schema: await compileSchema(tool.inputSchema, `Tool "${tool.name}"`) })
  }
  const specs = [...byName.values()].map(({ tool, schema }) => ({
    name: tool.name,
    // MCP servers cut descriptions, some of them within a character.
    description: tool.description.toWellFormed(),
    inputSchema: wellFormedJSON(schema.json),
  }))
  const mayNeedApproval = [...tools.values()].some(({ needsApproval, client }) => Boolean(needsApproval || client))
  const tooMany = tooManyTools(tools, specs)
  return { specs, byName, mayNeedApproval, ...(tooMany !== undefined && { tooMany }) }
}

/** The tools of servers are not counted by the author of an agent: their number grows without a change of the code. */
export function tooManyTools(tools: ReadonlyMap<string, Tool>, specs: readonly ToolSpec[]): string | undefined {
  const servers = new Set([...tools.values()].flatMap((tool) => serverOf(tool) ?? []))
  if (servers.size === 0) return undefined
  const tokens = Math.ceil(JSON.stringify(specs).length / 4)
  if (specs.length <= limits.manyTools && tokens <= limits.manyToolTokens) return undefined
  const names = [...servers].map((name) => `"${name}"`).join(', ')
  return `The agent has ${specs.length} tools, whose schemas are about ${tokens} tokens of every request. Choose those that it needs by \`tools\` of the MCP servers (${names}).`
}

/**
 * The tools that a run is offered. One whose `isEnabled` fails is left out: a rule that fails allows nothing.
 * @param warnings receives a sentence for each that fails
 */
export async function enabledTools(toolBox: ToolBox, run: ToolRun, warnings: string[]): Promise<ToolBox> {
  const conditional = [...toolBox.byName.values()].filter(({ tool }) => tool.isEnabled)
  if (conditional.length === 0) return toolBox
  const byName = new Map(toolBox.byName)
  const asking = { ...run, warn: (warning: string): void => void warnings.push(warning) }
  const asked = conditional.map(async ({ tool }) => {
    try {
      if ((await tool.isEnabled?.(asking)) === false) byName.delete(tool.name)
    } catch (error) {
      // A wrong configuration ends the run, as it does everywhere.
      if (isAgentKitError(error) && error.code === 'invalid-config') throw error
      byName.delete(tool.name)
      const reason = redactSecrets(messageOf(error))
      const isServers = serverOf(tool) !== undefined && isAgentKitError(error)
      warnings.push(isServers ? reason : `The run has no tool "${tool.name}", whose \`isEnabled\` failed: ${reason}`)
    }
  })
  await untilAborted(run.signal, Promise.all(asked))
  return { ...toolBox, specs: toolBox.specs.filter(({ name }) => byName.has(name)), byName }
}

/** An instruction with what the tools of a run add to it. */
export function withToolInstructions(instruction: string | undefined, { byName }: ToolBox): string | undefined {
  const added = [...byName.values()].flatMap(({ tool }) => tool.instruction ?? [])
  return added.length === 0 ? instruction : [instruction, ...added].filter(Boolean).join('\n\n')
}

/** A toolbox with further tools that need no approval, except those whose name it has already. */
export async function withTools(toolBox: ToolBox, tools: readonly Tool[]): Promise<ToolBox> {
  const added = tools.filter(({ name }) => !toolBox.byName.has(name))
  const { specs, byName } = await compileTools(new Map(added.map((tool) => [tool.name, tool])))
  return { ...toolBox, specs: [...toolBox.specs, ...specs], byName: new Map([...toolBox.byName, ...byName]) }
}
