import { ApiError } from '../errors.ts'
import { isFields } from '../wire-spec.ts'

/** Rejects malformed functions, and returns the names of the others. */
export function checkTools(tools: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  if (tools === undefined || tools === null) return names
  if (!Array.isArray(tools)) throw new ApiError(400, "'tools' : value must be an array")
  if (tools.length > 128) throw new ApiError(400, "'tools' : maximum number of items is 128")
  tools.forEach((tool: unknown, index) => {
    const path = `tools.${index}`
    if (!isFields(tool)) throw new ApiError(400, `'${path}' : value must be an object`)
    if (tool.type === 'browser_search' || tool.type === 'code_interpreter') return
    if (tool.type !== 'function') throw new ApiError(400, `'${path}' : discriminator property 'type' has invalid value`)
    if (!isFields(tool.function)) throw new ApiError(400, `'${path}' : property 'function' is missing`)
    const { name, parameters } = tool.function
    if (typeof name !== 'string') throw new ApiError(400, `'${path}.function' : property 'name' is missing`)
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw new ApiError(400, `'${path}.function.name' : value does not match the pattern '^[a-zA-Z0-9_-]{1,64}$'`)
    }
    if (names.has(name)) throw new ApiError(400, `'tools' : duplicate function name '${name}'`)
    names.add(name)
    if (parameters === undefined || parameters === null) return
    if (!isFields(parameters) || (parameters.type !== undefined && parameters.type !== 'object')) {
      throw new ApiError(
        400,
        `invalid JSON schema for tool ${name}, tools[${index}].function.parameters: \`/type\`: value must be "object"`,
      )
    }
  })
  return names
}
