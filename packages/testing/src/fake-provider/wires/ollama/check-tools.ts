import type { Fields } from '../wire-spec.ts'
import { mismatch, requireType } from './go-types.ts'

/**
 * Rejects tools whose schemas the server cannot represent: each property is an object, its type a name or a list of names,
 * and `true` is not a schema.
 */
export function checkTools(candidates: unknown): void {
  for (const candidate of requireType(candidates, '[]api.Tool', 'ChatRequest.tools') ?? []) {
    const tool = requireType(candidate, 'api.Tool', 'ChatRequest.tools') ?? {}
    requireType(tool.type, 'string', 'ChatRequest.tools.type')
    const path = 'ChatRequest.tools.function'
    const definition = requireType(tool.function, 'api.ToolFunction', path) ?? {}
    requireType(definition.name, 'string', `${path}.name`)
    requireType(definition.description, 'string', `${path}.description`)
    const schema = requireType(definition.parameters, 'api.ToolFunctionParameters', `${path}.parameters`) ?? {}
    requireType(schema.type, 'string', `${path}.parameters.type`)
    requireTexts(schema.required, `${path}.parameters.required`)
    checkProperties(schema.properties, `${path}.parameters.properties`)
  }
}

function checkProperties(candidates: unknown, path: string): void {
  const properties = requireType(candidates, 'api.ToolPropertiesMap', path) ?? {}
  for (const property of Object.values(properties)) checkProperty(property, path)
}

function checkProperty(candidate: unknown, path: string): void {
  const property: Fields = requireType(candidate, 'api.ToolProperty', path) ?? {}
  if (typeof property.type !== 'string') requireTexts(property.type, `${path}.type`)
  requireType(property.description, 'string', `${path}.description`)
  requireType(property.enum, '[]interface {}', `${path}.enum`)
  for (const choice of requireType(property.anyOf, '[]api.ToolProperty', `${path}.anyOf`) ?? []) {
    checkProperty(choice, `${path}.anyOf`)
  }
  checkProperties(property.properties, `${path}.properties`)
}

function requireTexts(value: unknown, path: string): void {
  const texts = requireType(value, '[]string', path) ?? []
  const other = texts.find((text) => typeof text !== 'string')
  if (other !== undefined) throw mismatch(other, 'string', path)
}
