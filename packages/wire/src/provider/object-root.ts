import type { JSONSchema } from '@agentkit/core'
import { isRecord } from '../util/json.ts'
import { referenceStep } from '../util/reference-step.ts'

/**
 * A tool's input schema with an object as its root: references are resolved, and a union becomes one object with the keys
 * of all its variants, which the description explains. OpenAI and Anthropic reject other roots. Calls are validated against
 * the tool's own schema.
 */
export function objectRoot(schema: JSONSchema): JSONSchema {
  return flattened(resolved(schema, schema))
}

/** Replaces a root that is a reference by its target, which may be one too. */
function resolved(schema: JSONSchema, root: JSONSchema): JSONSchema {
  const followed = new Set<unknown>()
  let found = schema
  for (;;) {
    const { $ref, ...beside } = found
    const target = followed.has($ref) ? undefined : targetOf($ref, root)
    if (!target) return found
    followed.add($ref)
    found = { ...target, ...beside }
  }
}

function targetOf(reference: unknown, root: JSONSchema): JSONSchema | undefined {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? []
  const shared = place === undefined ? undefined : root[place]
  const target = isRecord(shared) && name !== undefined ? shared[referenceStep(name)] : undefined
  return isRecord(target) ? target : undefined
}

/** A union of objects as one object with the keys of all; a key is required where every variant requires it. */
function flattened(schema: JSONSchema): JSONSchema {
  const union = (['allOf', 'anyOf', 'oneOf'] as const).find((keyword) => Array.isArray(schema[keyword]))
  if (union === undefined) return schema
  const { [union]: members, ...rest } = schema
  const variants = (Array.isArray(members) ? members.filter(isRecord) : []).map((member) =>
    flattened(resolved(member, schema)),
  )
  const required = variants.map((variant) => (Array.isArray(variant.required) ? variant.required : []))
  const common =
    union === 'allOf'
      ? required.flat()
      : (required[0] ?? []).filter((key) => required.every((keys) => keys.includes(key)))
  const own = Array.isArray(schema.required) ? schema.required : []
  // No `additionalProperties: false`: it would forbid the keys of the variants.
  return flattened({
    ...rest,
    description: [schema.description, `{${union}: ${JSON.stringify(members)}}`].filter(Boolean).join('\n\n'),
    properties: joined([schema, ...variants]),
    required: [...new Set([...own, ...common])],
  })
}

function joined(schemas: readonly JSONSchema[]): Record<string, unknown> {
  const byKey = new Map<string, Map<string, unknown>>()
  for (const { properties } of schemas) {
    for (const [key, value] of Object.entries(isRecord(properties) ? properties : {})) {
      const kinds = byKey.get(key) ?? new Map<string, unknown>()
      byKey.set(key, kinds.set(JSON.stringify(value), value))
    }
  }
  return Object.fromEntries(
    [...byKey].map(([key, kinds]) => [key, kinds.size === 1 ? [...kinds.values()][0] : { anyOf: [...kinds.values()] }]),
  )
}
