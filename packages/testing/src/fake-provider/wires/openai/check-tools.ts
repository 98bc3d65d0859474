import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { requireField, requireFields } from './checks.ts'

/** One function of a request, and its position. */
type OfferedFunction = { definition: Fields; path: string }

/** Rejects functions that the API rejects: bad names, duplicates, invalid schemas, strict schemas that are not strict. */
export function checkFunctions(functions: readonly OfferedFunction[]): void {
  const names = new Set<unknown>()
  for (const { definition, path } of functions) {
    const name = requireField(definition, 'name', path)
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw new ApiError(
        400,
        `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern ` +
          "'^[a-zA-Z0-9_-]+$', of at most 64 characters.",
        { param: `${path}.name`, code: 'invalid_value' },
      )
    }
    if (names.has(name)) {
      throw new ApiError(400, `Invalid '${path}.name': two functions are named '${name}'. Names must be unique.`, {
        param: `${path}.name`,
        code: 'invalid_value',
      })
    }
    names.add(name)
    const { parameters, strict } = definition
    if (parameters === undefined || parameters === null) continue
    const schema = requireFields(parameters, `${path}.parameters`)
    if (schema.type !== 'object') {
      throw invalidSchema(
        'function',
        name,
        `schema must be a JSON Schema of 'type: "object"', got 'type: "${schema.type ?? 'None'}"'.`,
        `${path}.parameters`,
      )
    }
    const combining = rootless.find((keyword) => keyword in schema)
    if (combining !== undefined) {
      throw invalidSchema(
        'function',
        name,
        "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        `${path}.parameters`,
      )
    }
    checkItems(schema, 'function', name, `${path}.parameters`)
    if (strict === true) checkStrict(schema, 'function', name, `${path}.parameters`)
  }
}

const rootless = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']

/** Rejects an output format that the API rejects. */
export function checkJSONSchemaFormat(format: Fields, path: string): void {
  const name = requireField(format, 'name', path)
  const schema = requireFields(requireField(format, 'schema', path), `${path}.schema`)
  checkItems(schema, 'response_format', String(name), path)
  if (format.strict === true) checkStrict(schema, 'response_format', String(name), path)
}

/** Every list says what it holds, in schemas that are not strict too. */
function checkItems(schema: Fields, kind: string, name: string, param: string, context: string[] = []): void {
  if ([schema.type].flat().includes('array') && schema.items === undefined) {
    const where = `In context=(${context.map((step) => `'${step}'`).join(', ')})`
    throw invalidSchema(kind, name, `${where}, array schema missing items.`, param)
  }
  for (const [step, child] of childSchemas(schema)) checkItems(child, kind, name, param, [...context, ...step])
}

/** Every object of a strict schema requires all of its properties and allows no others. */
function checkStrict(schema: Fields, kind: string, name: string, param: string, context: string[] = []): void {
  const where = `In context=(${context.map((step) => `'${step}'`).join(', ')}), `
  if (isFields(schema.properties) || schema.type === 'object') {
    if (schema.additionalProperties !== false) {
      throw invalidSchema(
        kind,
        name,
        `${where}'additionalProperties' is required to be supplied and to be false.`,
        param,
      )
    }
    const required = Array.isArray(schema.required) ? schema.required : []
    const missing = Object.keys(schema.properties ?? {}).find((key) => !required.includes(key))
    if (missing !== undefined) {
      throw invalidSchema(
        kind,
        name,
        `${where}'required' is required to be supplied and to be an array including every key in properties. ` +
          `Missing '${missing}'.`,
        param,
      )
    }
  }
  for (const [step, child] of childSchemas(schema)) checkStrict(child, kind, name, param, [...context, ...step])
}

function childSchemas(schema: Fields): [string[], Fields][] {
  const children: [string[], unknown][] = [[['items'], schema.items]]
  for (const group of ['properties', '$defs', 'definitions']) {
    const members = schema[group]
    if (isFields(members)) for (const [key, member] of Object.entries(members)) children.push([[group, key], member])
  }
  if (Array.isArray(schema.anyOf)) {
    schema.anyOf.forEach((member, index) => void children.push([['anyOf', String(index)], member]))
  }
  return children.filter((child): child is [string[], Fields] => isFields(child[1]))
}

function invalidSchema(kind: string, name: string, problem: string, param: string): ApiError {
  return new ApiError(400, `Invalid schema for ${kind} '${name}': ${problem}`, {
    param,
    code: kind === 'function' ? 'invalid_function_parameters' : null,
  })
}
