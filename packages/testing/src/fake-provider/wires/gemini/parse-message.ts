import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { fieldsOfMessage, type MessageName } from './messages.ts'

/**
 * Parses JSON like the API: names in camelCase or snake_case, `null` as absent, and no fields that the message does not
 * define.
 *
 * @returns the message with its names in camelCase
 * @throws ApiError that lists all faults, as the API does
 */
export function parseMessage(json: Fields, name: MessageName): Fields {
  const faults: string[] = []
  const message = parse(json, name, '', faults)
  if (faults.length === 0) return message
  throw new ApiError(400, faults.map((fault) => `Invalid JSON payload received. ${fault}`).join('\n'))
}

function parse(json: Fields, messageName: string, path: string, faults: string[]): Fields {
  const fields = fieldsOfMessage(messageName)
  const message: Fields = {}
  for (const [written, value] of Object.entries(json)) {
    const name = toCamelCase(written)
    const field = fields?.get(name)
    if (!field) {
      faults.push(`Unknown name "${written}"${path === '' ? '' : ` at '${path}'`}: Cannot find field.`)
      continue
    }
    if (value === null) continue
    const place = `${path === '' ? '' : `${path}.`}${toSnakeCase(name)}`
    if (field.repeated === 'list') {
      // A single value in place of a list is read as a list of one.
      const list = Array.isArray(value) ? value : [value]
      message[name] = list.map((item, index) => parseValue(item, field.type, `${place}[${index}]`, faults))
    } else if (field.repeated === 'map') {
      const entries = Object.entries(isFields(value) ? value : {})
      message[name] = Object.fromEntries(
        entries.map(([key, item], index) => [key, parseValue(item, field.type, `${place}[${index}].value`, faults)]),
      )
    } else message[name] = parseValue(value, field.type, place, faults)
  }
  return message
}

function parseValue(value: unknown, type: string, place: string, faults: string[]): unknown {
  if (fieldsOfMessage(type)) {
    if (isFields(value)) return parse(value, type, place, faults)
    faults.push(`Invalid value at '${place}' (type.googleapis.com/${type}), ${JSON.stringify(value)}`)
    return {}
  }
  const scalar = scalars[type]
  if (scalar && !scalar.takes(value)) {
    faults.push(`Invalid value at '${place}' (${scalar.name}), ${JSON.stringify(value)}`)
  }
  return value
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isWhole = (value: unknown): boolean => Number.isInteger(value) || /^-?\d+$/.test(String(value))

const scalars: Record<string, { name: string; takes: (value: unknown) => boolean }> = {
  string: { name: 'TYPE_STRING', takes: (value) => typeof value === 'string' },
  boolean: { name: 'TYPE_BOOL', takes: (value) => typeof value === 'boolean' },
  number: { name: 'TYPE_FLOAT', takes: isNumber },
  int32: { name: 'TYPE_INT32', takes: isWhole },
  int64: { name: 'TYPE_INT64', takes: isWhole },
  bytes: { name: 'TYPE_BYTES', takes: isBase64 },
  struct: { name: 'type.googleapis.com/google.protobuf.Struct', takes: isFields },
}

/** Both alphabets of base64 are accepted. */
function isBase64(value: unknown): boolean {
  return (
    typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) && value.replace(/=+$/, '').length % 4 !== 1
  )
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
