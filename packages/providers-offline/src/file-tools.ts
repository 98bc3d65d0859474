import type { ToolSpec } from '@agentkit/core'
import { isSchema } from './check-value.ts'

/** The tools that an agent's files are looked up with. */
export type FileTools = { search: ToolSpec; read: ToolSpec | undefined; list: ToolSpec | undefined }

/**
 * Takes the tools of an agent's files out of the others. They are known by their names and by what they need: anybody's
 * `search_files` that needs something else is a tool like any other.
 */
export function splitTools(tools: readonly ToolSpec[]): { files: FileTools | undefined; others: ToolSpec[] } {
  const search = tools.find((tool) => tool.name === 'search_files' && needs(tool, ['query']))
  if (!search) return { files: undefined, others: [...tools] }
  const read = tools.find((tool) => tool.name === 'read_file' && needs(tool, ['file']))
  const list = tools.find((tool) => tool.name === 'list_files' && needs(tool, []))
  return { files: { search, read, list }, others: tools.filter((tool) => ![search, read, list].includes(tool)) }
}

/** Whether a tool's required parameters are exactly these texts. */
function needs({ inputSchema }: ToolSpec, names: readonly string[]): boolean {
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : []
  const properties = isSchema(inputSchema.properties) ? inputSchema.properties : {}
  return (
    required.length === names.length &&
    names.every((name) => {
      const property = properties[name]
      return required.includes(name) && isSchema(property) && property.type === 'string'
    })
  )
}
