import type { JSONSchema } from '../data/message.ts'
import { limits } from '../limits.ts'
import { jsonSchemaProblem, targetOf } from './check-json-schema.ts'
import { withoutPatterns } from './without-patterns.ts'

/** Why the schema of a tool of a server or a client cannot be used, as the end of a sentence; `undefined` if it can. */
export function foreignSchemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema) || schema.type !== 'object') return 'its input is not an object'
  // First: the text of one that is nested thousands of levels deep cannot be made.
  if (depthOf(schema) > limits.foreignSchemaDepth)
    return `its schema is nested deeper than ${limits.foreignSchemaDepth} levels`
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.foreignSchemaBytes)
    return `its schema has more than ${limits.foreignSchemaBytes} bytes`
  // Patterns are removed: those of servers may be ones of another language, or need RegExp's older syntax.
  return referenceProblem(schema) ?? jsonSchemaProblem(withoutPatterns(schema))?.replace(/\.$/, '')
}

function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth++) {
    level = level.filter(isObject).flatMap((each) => Object.values(each))
    if (level.length === 0) return depth
    if (depth > limits.foreignSchemaDepth) return depth
  }
}

/**
 * Follows the references of a schema. A flat list of definitions may lead through thousands of them, one in the other, and
 * what converts schemas for a model would exceed the stack.
 */
function referenceProblem(root: JSONSchema): string | undefined {
  const heights = new Map<unknown, number>()
  const within = new Set<unknown>()
  let isCyclic = false
  const heightOf = (value: unknown): number => {
    if (!isObject(value)) return 0
    const known = heights.get(value)
    if (known !== undefined) return known
    isCyclic ||= within.has(value)
    if (isCyclic || within.size > limits.schemaDepth) return Number.POSITIVE_INFINITY
    within.add(value)
    const { $ref } = value
    let inner = typeof $ref === 'string' ? heightOf(referred($ref, root)) : 0
    for (const child of Object.values(value)) inner = Math.max(inner, heightOf(child))
    within.delete(value)
    heights.set(value, inner + 1)
    return inner + 1
  }
  const height = heightOf(root)
  if (isCyclic) return 'its schema refers to itself'
  return height > limits.schemaDepth ? `its references lead more than ${limits.schemaDepth} levels deep` : undefined
}

function referred(reference: string, root: JSONSchema): unknown {
  if (reference === '#') return root
  return reference.startsWith('#/') ? targetOf(reference, root) : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
