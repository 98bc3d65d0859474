import { type Fields, isFields } from '../wire-spec.ts'
import { invalid } from './checks.ts'

/** The keywords that the grammar of structured output supports per type; others are rejected. */
const supported: Record<string, readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format', 'pattern'],
  integer: [],
  number: [],
  boolean: [],
  null: [],
}
const everywhere =
  'type title description default enum const anyOf allOf $ref $defs definitions $schema $id $comment examples'.split(
    ' ',
  )
const formats = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')

/** Rejects a schema that the API cannot enforce for an answer or a strict tool. */
export function checkOutputSchema(schema: Fields, path: string): void {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  for (const type of types) {
    if (typeof type !== 'string' || !(type in supported)) throw invalid(path, `Invalid schema type '${type}'`)
  }
  if (types.length === 0 && !['anyOf', 'allOf', '$ref', 'enum', 'const'].some((key) => key in schema)) {
    throw invalid(path, 'Schema must have a type, or one of anyOf, allOf, $ref, enum and const')
  }
  const known = [...everywhere, ...types.flatMap((type) => supported[String(type)] ?? [])]
  const unknown = Object.keys(schema).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    const named = unknown.length === 1 ? `property '${unknown[0]}' is` : `properties ${unknown.sort().join(', ')} are`
    throw invalid(path, `For '${types[0] ?? 'any'}' type, ${named} not supported`)
  }
  if (types.includes('object') && schema.additionalProperties !== false) {
    throw invalid(path, "For 'object' type, 'additionalProperties' must be explicitly set to false")
  }
  if (schema.minItems !== undefined && schema.minItems !== 0 && schema.minItems !== 1) {
    throw invalid(path, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
  }
  if (schema.format !== undefined && !formats.includes(String(schema.format))) {
    throw invalid(path, `For 'string' type, 'format' value '${schema.format}' is not supported`)
  }
  for (const child of childSchemas(schema)) checkOutputSchema(child, path)
}

function childSchemas(schema: Fields): Fields[] {
  const groups = [schema.properties, schema.$defs, schema.definitions].filter(isFields).flatMap(Object.values)
  const lists = [schema.anyOf, schema.allOf].filter(Array.isArray).flat()
  return [schema.items, ...groups, ...lists].filter(isFields)
}
