import { hash } from 'node:crypto'
import type { JSONSchema } from '@agentkit/core'
import { isRecord, objectRoot, parseJSON } from '@agentkit/wire'

/** A tool's input schema as the API takes it, and which of its keys have another name there. */
export type ToolSchema = { schema: JSONSchema & { type: 'object' }; renamed: ReadonlyMap<string, string> }

/**
 * Makes the root of a tool's input schema what the API takes: an object that is no union, whose keys are of up to 64
 * letters, digits, `_`, `.` and `-`. The rest goes into the description; calls are checked against the
 * tool's own schema anyway.
 */
export function toolSchema(schema: JSONSchema): ToolSchema {
  const { $schema: _dialect, ...root } = objectRoot(schema)
  const { required, ...rest } = root
  const properties = isRecord(root.properties) ? root.properties : {}
  const keys = Object.keys(properties)
  const shared = sharedNames(keys)
  const names = new Map(keys.map((key) => [key, wireName(key, shared)]))
  const renamed = new Map([...names].flatMap(([key, name]) => (key === name ? [] : [[name, key] as const])))
  return {
    schema: {
      ...rest,
      type: 'object',
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [names.get(key) ?? key, value])),
      ...(Array.isArray(required) && { required: required.map((key) => names.get(key) ?? key) }),
    },
    renamed,
  }
}

/** Restores the original keys of a call's arguments; arguments that do not parse stay as the model wrote them. */
export function withOwnNames(argumentsText: string, renamed: ReadonlyMap<string, string>): string {
  const input = parseJSON(argumentsText)
  if (!isRecord(input)) return argumentsText
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).map(([name, value]) => [renamed.get(name) ?? name, value])),
  )
}

const longestName = 64

function wireName(key: string, shared: ReadonlySet<string>): string {
  if (/^[\w.-]{1,64}$/.test(key)) return key
  const name = plainName(key)
  // Two keys may become one name, as `a b` and `a/b`, and some become empty: a hash distinguishes them.
  const isUnique = /[^_]/.test(name) && name.length <= longestName && !shared.has(name)
  return isUnique ? name : `${name.slice(0, longestName - 9)}_${hash('sha256', key).slice(0, 8)}`
}

function plainName(key: string): string {
  return key.replace(/[^\w.-]/g, '_')
}

/** The names that several keys become. */
function sharedNames(keys: readonly string[]): Set<string> {
  const [known, shared] = [new Set<string>(), new Set<string>()]
  for (const name of keys.map(plainName)) (known.has(name) ? shared : known).add(name)
  return shared
}
