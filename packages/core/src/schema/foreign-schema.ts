import type { JSONSchema } from '../data/message.ts'
import { limits } from '../limits.ts'
import { jsonSchemaProblem, targetOf } from './check-json-schema.ts'

/** Why the schema of a tool of a server or a client cannot be used, as the end of a sentence; `undefined` if it can. */
export function foreignSchemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema) || schema.type !== 'object') return 'its input is not an object'
  // First: the text of one that is nested thousands of levels deep cannot be made.
  if (depthOf(schema) > limits.foreignSchemaDepth)
    return `its schema is nested deeper than ${limits.foreignSchemaDepth} levels`
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.foreignSchemaBytes)
    return `its schema has more than ${limits.foreignSchemaBytes} bytes`
  if (hasCycle(schema)) return 'its schema refers to itself'
  return jsonSchemaProblem(schema)?.replace(/\.$/, '')
}

function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth++) {
    level = level.filter(isObject).flatMap((each) => Object.values(each))
    if (level.length === 0) return depth
    if (depth > limits.foreignSchemaDepth) return depth
  }
}

/** Whether following the references of a schema comes back to where it began. */
function hasCycle(root: JSONSchema): boolean {
  const finished = new Set<unknown>()
  const within = new Set<unknown>()
  const visit = (value: unknown): boolean => {
    if (!isObject(value) || finished.has(value)) return false
    if (within.has(value)) return true
    within.add(value)
    const { $ref } = value
    const found =
      (typeof $ref === 'string' && visit(referred($ref, root))) || Object.values(value).some((child) => visit(child))
    within.delete(value)
    finished.add(value)
    return found
  }
  return visit(root)
}

function referred(reference: string, root: JSONSchema): unknown {
  if (reference === '#') return root
  return reference.startsWith('#/') ? targetOf(reference, root) : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
