import type { ToolSpec } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import { type CompiledSchema, compileSchema } from '../schema/schema.ts'

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

/** A toolbox with further tools that need no approval, except those whose name it has already. */
export async function withTools(toolBox: ToolBox, tools: readonly Tool[]): Promise<ToolBox> {
  const added = tools.filter(({ name }) => !toolBox.byName.has(name))
  const { specs, byName } = await compileTools(new Map(added.map((tool) => [tool.name, tool])))
  return { ...toolBox, specs: [...toolBox.specs, ...specs], byName: new Map([...toolBox.byName, ...byName]) }
}
