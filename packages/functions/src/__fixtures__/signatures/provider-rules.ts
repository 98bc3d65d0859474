import type { JSONSchema } from '@agentkit/core'

/**
 * What OpenAI's strict mode answers to a schema with 400, as it is documented and as people report it.
 * @see https://platform.openai.com/docs/guides/structured-outputs
 */
export function strictProblems(schema: JSONSchema, path = 'input'): string[] {
  const { type, properties, required, additionalProperties, $ref, anyOf } = schema
  const problems: string[] = []
  if (!('type' in schema || '$ref' in schema || 'anyOf' in schema)) problems.push(`${path} has no type`)
  if ($ref !== undefined && Object.keys(schema).length > 1) problems.push(`${path} has keywords beside $ref`)
  if (anyOf !== undefined && path === 'input') problems.push('the root is a choice')
  if (type === 'object') {
    const names = Object.keys((properties as object | undefined) ?? {})
    if (additionalProperties !== false) problems.push(`${path} is open`)
    if (!names.every((name) => (required as unknown[] | undefined)?.includes(name)))
      problems.push(`${path} has an optional field`)
  }
  return [...problems, ...children(schema).flatMap(([name, child]) => strictProblems(child, `${path}.${name}`))]
}

export type GeminiReading = {
  /** Why the request would be answered with 400. */
  refused: string[]
  /** Keywords that the model is not held to: what they say is for `execute` to check. */
  unread: string[]
}

/**
 * What Gemini makes of a function declaration's `parametersJsonSchema`, as its API reference says.
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig
 */
export function readAsGemini(schema: JSONSchema): GeminiReading {
  const refused = schema.type === 'object' ? [] : ['the root is not an object']
  const reading = { refused: [...refused, ...requiredCycles(schema, schema, [])], unread: [] as string[] }
  readKeywords(schema, 'input', reading)
  return { refused: [...new Set(reading.refused)], unread: [...new Set(reading.unread)] }
}

const geminiKeywords = new Set(
  `$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf
  oneOf properties additionalProperties required`.split(/\s+/),
)

function readKeywords(schema: JSONSchema, path: string, reading: GeminiReading): void {
  for (const keyword of Object.keys(schema)) if (!geminiKeywords.has(keyword)) reading.unread.push(keyword)
  const { $ref, enum: values, items } = schema
  const besideReference = Object.keys(schema).filter((keyword) => !keyword.startsWith('$') && keyword !== 'description')
  if ($ref !== undefined && besideReference.length > 0) reading.refused.push(`${path}: ${besideReference} beside $ref`)
  const read = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
  if (Array.isArray(values) && !values.every(read)) reading.unread.push('null in enum')
  if (typeof items === 'boolean') reading.unread.push('items: false')
  for (const [name, child] of children(schema)) readKeywords(child, `${path}.${name}`, reading)
}

/** Recursion is unrolled a few times, which can only end at fields that may be absent. */
function requiredCycles(schema: JSONSchema, root: JSONSchema, within: readonly string[]): string[] {
  const { $ref, properties, required } = schema
  if (typeof $ref === 'string') {
    if (within.includes($ref)) return [`${$ref} contains itself where it must be present`]
    const definitions = root.$defs as Record<string, JSONSchema>
    return requiredCycles(definitions[$ref.replace('#/$defs/', '')] ?? {}, root, [...within, $ref])
  }
  const optional = Object.keys((properties as object | undefined) ?? {}).filter(
    (name) => !(required as unknown[] | undefined)?.includes(name),
  )
  return children({ ...schema, $defs: {} })
    .filter(([name]) => !optional.some((field) => name === `properties.${field}`))
    .flatMap(([, child]) => requiredCycles(child, root, within))
}

function children(schema: JSONSchema): [string, JSONSchema][] {
  const named = ['properties', '$defs'].flatMap((keyword) =>
    Object.entries(schema[keyword] ?? {}).map(([name, child]) => [`${keyword}.${name}`, child]),
  )
  const listed = ['anyOf', 'prefixItems'].flatMap((keyword) =>
    Object.entries(schema[keyword] ?? []).map(([index, child]) => [`${keyword}.${index}`, child]),
  )
  const alone = ['items', 'additionalProperties'].map((keyword) => [keyword, schema[keyword]])
  return [...named, ...listed, ...alone].filter((entry): entry is [string, JSONSchema] => typeof entry[1] === 'object')
}
