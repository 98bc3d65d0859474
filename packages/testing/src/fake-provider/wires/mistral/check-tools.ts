import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { refuseExtra, requireField, requireFields, requireList, requireTag, requireText } from './checks.ts'

const toolTypes =
  'function web_search web_search_premium code_interpreter image_generation document_library connector'.split(' ')

/** Rejects functions without a name or a schema; Mistral's built-in tools are not checked. */
export function checkTools(candidates: unknown): void {
  requireList(candidates, 'tools').forEach((candidate, index) => {
    const path = `tools.${index}`
    const tool = requireFields(candidate, path)
    const type = requireTag({ type: 'function', ...tool }, 'type', toolTypes, path)
    if (type !== 'function') return
    const definition = requireFields(requireField(tool, 'function', path), `${path}.function`)
    refuseExtra(definition, ['name', 'description', 'strict', 'parameters'], `${path}.function`)
    const name = requireText(requireField(definition, 'name', `${path}.function`), `${path}.function.name`)
    const schema = requireField(definition, 'parameters', `${path}.function`)
    const parameters = requireFields(schema, `${path}.function.parameters`)
    checkFunctionName(name, 'invalid_request_tool')
    checkSchema(parameters)
  })
}

/** The API's message for an invalid function name, wherever it occurs. */
export function checkFunctionName(name: string, type: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return
  throw new ApiError(
    400,
    `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
    { type },
  )
}

const schemaTypes = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** A schema must be valid in its draft; its content is not restricted. */
function checkSchema(schema: Fields): void {
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const unknown = types.find((type) => typeof type !== 'string' || !schemaTypes.includes(type))
  if (unknown !== undefined)
    throw invalidSchema(`${JSON.stringify(unknown)} is not valid under any of the given schemas`)
  if (schema.required !== undefined && !Array.isArray(schema.required)) {
    throw invalidSchema(`${JSON.stringify(schema.required)} is not of type 'array'`)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property === 'boolean') continue
    if (typeof property !== 'object' || property === null || Array.isArray(property)) {
      throw invalidSchema(`${JSON.stringify(property)} is not of type 'object', 'boolean' (${name})`)
    }
    // An object with string keys, as JSON produces.
    checkSchema(property as Fields)
  }
}

function invalidSchema(problem: string): ApiError {
  return new ApiError(400, `Invalid tool schema: ${problem}`, { type: 'invalid_request_tool' })
}
