import { type Fields, isFields } from '../wire-spec.ts'
import { refused } from './check-part.ts'

const types = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']

/** Rejects a schema in the API's own dialect whose known fields contradict each other. */
export function checkSchema(schema: Fields, path: string): void {
  const type = String(schema.type ?? '').toUpperCase()
  if (type !== '' && !types.includes(type)) throw refused(`${path}.type`, `unknown schema type ${schema.type}\n`)
  if (type === '' && schema.anyOf === undefined) throw refused(`${path}.type`, 'must be specified\n')
  if (schema.enum !== undefined && type !== 'STRING') throw refused(`${path}.enum`, 'only allowed for STRING type\n')
  if (type === 'ARRAY' && schema.items === undefined) throw refused(`${path}.items`, 'missing field.\n')
  if (type === 'STRING' && schema.format !== undefined && !['enum', 'date-time'].includes(String(schema.format))) {
    throw refused(`${path}.format`, "only 'enum' and 'date-time' are supported for STRING type\n")
  }
  const properties = isFields(schema.properties) ? schema.properties : {}
  if (type === 'OBJECT' && Object.keys(properties).length === 0) {
    throw refused(`${path}.properties`, 'should be non-empty for OBJECT type\n')
  }
  const required = (schema.required ?? []) as string[]
  required.forEach((name, index) => {
    if (!(name in properties)) throw refused(`${path}.required[${index}]`, 'property is not defined\n')
  })
  for (const [name, child] of Object.entries(properties)) {
    if (isFields(child)) checkSchema(child, `${path}.properties[${name}]`)
  }
  if (isFields(schema.items)) checkSchema(schema.items, `${path}.items`)
  const variants = (schema.anyOf ?? []) as Fields[]
  for (const [index, variant] of variants.entries()) checkSchema(variant, `${path}.any_of[${index}]`)
}
