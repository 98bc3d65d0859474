import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkOutputSchema } from './check-output-schema.ts'
import { fieldsAt, invalid, listAt, matchAt, oneOfAt, refuseExtras, unexpectedTag } from './checks.ts'
import { modelRules } from './model-rules.ts'

const toolFields = (
  'type name description input_schema strict cache_control allowed_callers defer_loading eager_input_streaming ' +
  'input_examples'
).split(' ')

/** The API's own tools have a version, and are not checked. */
const ownTools = /_\d{8}$|^mcp_toolset$/

/** Rejects tools and a `tool_choice` that the API rejects. */
export function checkTools(body: Fields): void {
  const tools = body.tools === undefined ? [] : listAt(body.tools, 'tools')
  const names = new Set<unknown>()
  tools.forEach((candidate, index) => {
    const tool = fieldsAt(candidate, `tools.${index}`)
    const type = tool.type ?? 'custom'
    if (type === 'custom') checkTool(tool, `tools.${index}.custom`)
    else if (!ownTools.test(String(type))) throw unexpectedTag(`tools.${index}`, type, ['custom', 'bash_20250124'])
    if (names.has(tool.name)) throw new ApiError(400, 'tools: Tool names must be unique.')
    names.add(tool.name)
  })
  if (body.tool_choice !== undefined) checkToolChoice(fieldsAt(body.tool_choice, 'tool_choice'), body, names)
}

function checkTool(tool: Fields, path: string): void {
  refuseExtras(tool, toolFields, path)
  matchAt(tool.name, /^[a-zA-Z0-9_-]{1,128}$/, `${path}.name`)
  if (tool.description !== undefined && typeof tool.description !== 'string') {
    throw invalid(`${path}.description`, 'Input should be a valid string')
  }
  const schemaPath = `${path}.input_schema`
  const schema = fieldsAt(tool.input_schema, schemaPath)
  oneOfAt(schema.type, ['object'], `${schemaPath}.type`)
  if (schema.oneOf ?? schema.allOf ?? schema.anyOf) {
    throw invalid(schemaPath, 'input_schema does not support oneOf, allOf, or anyOf at the top level')
  }
  const properties = isFields(schema.properties) ? schema.properties : {}
  if (Object.keys(properties).some((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))) {
    throw invalid(`${schemaPath}.properties`, "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'")
  }
  if (tool.strict === true) checkOutputSchema(schema, path)
}

function checkToolChoice(choice: Fields, body: Fields, names: ReadonlySet<unknown>): void {
  const type = oneOfAt(choice.type, ['auto', 'any', 'tool', 'none'], 'tool_choice.type')
  const known = ['type']
  if (type !== 'none') known.push('disable_parallel_tool_use')
  if (type === 'tool') known.push('name')
  refuseExtras(choice, known, `tool_choice.${type}`)
  if (names.size === 0) throw new ApiError(400, 'tool_choice: may only be specified while providing `tools`.')
  if (type === 'tool' && !names.has(choice.name)) {
    throw new ApiError(400, `tool_choice.tool.name: Tool '${choice.name}' not found in provided tools`)
  }
  if (type !== 'any' && type !== 'tool') return
  if (!modelRules(String(body.model)).takesForcedTools) {
    throw new ApiError(400, 'tool_choice: type "tool" and "any" are not supported for this model.')
  }
  const thinking = isFields(body.thinking) ? body.thinking.type : undefined
  if (thinking === 'enabled' || thinking === 'adaptive') {
    throw new ApiError(400, 'Thinking may not be enabled when tool_choice forces tool use.')
  }
}
