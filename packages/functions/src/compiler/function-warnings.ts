import type { JSONSchema } from '@agentkit/core'
import type { DocComment } from './docs/doc-comment.ts'
import { type CompilerScope, placeOf } from './scope/compiler-scope.ts'

/**
 * Warnings about a valid tool that may be hard to use for a model.
 * @param schema its input
 */
export function functionWarnings(schema: JSONSchema, comment: DocComment, scope: CompilerScope): string[] {
  const warnings: string[] = []
  // The value of `properties` is an object of schemas.
  const properties = schema.properties as Record<string, JSONSchema>
  if (!comment.description) {
    warnings.push('has no description, so a model cannot tell what it does. Write a JSDoc comment above it.')
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!widelyTaken.test(name))
      warnings.push(`has a parameter "${name}", and some models take letters, digits, "_", "." and "-" alone.`)
    if (!isDescribed(property)) warnings.push(`does not say what "${name}" is. Add "@param ${name} …" to its comment.`)
  }
  for (const path of scope.comments.keys()) {
    if (!scope.commented.has(path)) warnings.push(`describes "${path}", which is none of its parameters.`)
  }
  return warnings.map((warning) => `${placeOf(scope.node)}: ${scope.name} ${warning}`)
}

/** The property names that Anthropic accepts; other providers accept more. */
const widelyTaken = /^[\w.-]{1,64}$/

/** Whether a schema has a description, or a description for each of its fields. */
function isDescribed({ description, properties }: JSONSchema): boolean {
  if (description) return true
  // The value of `properties` is an object of schemas.
  const fields = Object.values((properties ?? {}) as Record<string, JSONSchema>)
  return fields.length > 0 && fields.every(isDescribed)
}
