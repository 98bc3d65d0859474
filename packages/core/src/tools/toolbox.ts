import type { ToolSpec } from '../contracts/model.ts'
import type { Tool, ToolRun } from '../contracts/tool.ts'
import { messageOf } from '../data/errors.ts'
import { type CompiledSchema, compileSchema } from '../schema/schema.ts'
import { untilAborted } from '../util/abort.ts'
import { redactSecrets } from '../util/redact.ts'

/** An agent's tools with compiled schemas: their specs for the model, and the functions to run. */
export type ToolBox = {
  specs: ToolSpec[]
  byName: Map<string, { tool: Tool; schema: CompiledSchema }>
  /** Whether any of them may need approval. */
  mayNeedApproval: boolean
}

/** Compiles the schemas of an agent's tools. */
export async function compileTools(tools: Map<string, Tool>): Promise<ToolBox> {
  const byName: ToolBox['byName'] = new Map()
  for (const tool of tools.values()) {
    byName.set(tool.name, { tool, schema: await compileSchema(tool.inputSchema, `Tool "${tool.name}"`) })
  }
  const specs = [...byName.values()].map(({ tool, schema }) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: schema.json,
  }))
  const mayNeedApproval = [...tools.values()].some(({ needsApproval }) => Boolean(needsApproval))
  return { specs, byName, mayNeedApproval }
}

/**
 * The tools that a run is offered. One whose `isEnabled` fails is left out: a rule that fails allows nothing.
 * @param warnings receives a sentence for each that fails
 */
export async function enabledTools(toolBox: ToolBox, run: ToolRun, warnings: string[]): Promise<ToolBox> {
  const conditional = [...toolBox.byName.values()].filter(({ tool }) => tool.isEnabled)
  if (conditional.length === 0) return toolBox
  const byName = new Map(toolBox.byName)
  const asked = conditional.map(async ({ tool }) => {
    try {
      if ((await tool.isEnabled?.(run)) === false) byName.delete(tool.name)
    } catch (error) {
      byName.delete(tool.name)
      warnings.push(
        `The run has no tool "${tool.name}", whose \`isEnabled\` failed: ${redactSecrets(messageOf(error))}`,
      )
    }
  })
  await untilAborted(run.signal, Promise.all(asked))
  return { ...toolBox, specs: toolBox.specs.filter(({ name }) => byName.has(name)), byName }
}

/** A toolbox with further tools that need no approval, except those whose name it has already. */
export async function withTools(toolBox: ToolBox, tools: readonly Tool[]): Promise<ToolBox> {
  const added = tools.filter(({ name }) => !toolBox.byName.has(name))
  const { specs, byName } = await compileTools(new Map(added.map((tool) => [tool.name, tool])))
  return { ...toolBox, specs: [...toolBox.specs, ...specs], byName: new Map([...toolBox.byName, ...byName]) }
}
