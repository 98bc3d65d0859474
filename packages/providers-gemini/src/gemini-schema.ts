import type { JSONSchema } from '@agentkit/core'
import { isRecord } from '@agentkit/wire'
import { asReference, isReference, type Reference, resolveReference, schemasIn, withoutAllOf } from './json-schema.ts'

export type GeminiSchema = {
  schema: JSONSchema
  /** The definitions that hold themselves in a required field. Gemini refuses that: the schema allows any value there. */
  opened: string[]
}

/**
 * A JSON Schema as Gemini reads it. Keywords that it ignores and that constrain a value become words of the
 * description; what it refuses is rewritten.
 *
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig
 */
export function toGeminiSchema(schema: JSONSchema): GeminiSchema {
  const known = converted.get(schema)
  if (known) return known
  const result = new Conversion(schema).run()
  converted.set(schema, result)
  return result
}

/** Tools have the same schemas in every request. */
const converted = new WeakMap<JSONSchema, GeminiSchema>()

/** One schema with its definitions, each converted once: nested references stay references. */
class Conversion {
  readonly #root: JSONSchema
  readonly #definitions = new Map<string, JSONSchema>()
  /** References whose definitions are still to be converted. */
  readonly #undefinedYet = new Set<string>()
  /** The references that contain the current schema, through required fields alone. */
  readonly #within = new Set<string>(['#'])
  readonly #opened = new Set<string>()
  /** The references that an `allOf` around the current schema has merged: merged once more, they would never end. */
  #merged: ReadonlySet<string> = new Set()
  #merges = 0
  /** The name of each reference. */
  readonly #names = new Map<string, string>()
  readonly #named = new Set<string>()

  constructor(root: JSONSchema) {
    this.#root = root
  }

  run(): GeminiSchema {
    const schema = this.#convert(this.#wholeRoot(), true)
    this.#within.clear()
    // The loop also visits what it adds to the set.
    for (const $ref of this.#undefinedYet) this.#define($ref)
    const definitions = [...this.#definitions].map(([$ref, definition]) => [this.#nameOf($ref), definition])
    return {
      schema: definitions.length > 0 ? { ...schema, $defs: Object.fromEntries(definitions) } : schema,
      opened: [...this.#opened].map(($ref) => this.#nameOf($ref)),
    }
  }

  /** A root must be an object: a reference at the root is replaced by its target. */
  #wholeRoot(): JSONSchema {
    let root = asReference(this.#root)
    while (isReference(root)) {
      const { $ref, ...beside } = root
      const target = this.#within.has($ref) ? undefined : resolveReference($ref, this.#root)
      this.#within.add($ref)
      root = asReference({ ...target, ...beside })
    }
    return root
  }

  #define($ref: string): void {
    if (this.#definitions.has($ref)) return
    // Registered first, for definitions inside that refer to it.
    this.#definitions.set($ref, {})
    this.#within.add($ref)
    const convert = (): JSONSchema => this.#convert(resolveReference($ref, this.#root) ?? {}, true)
    this.#definitions.set($ref, this.#having(new Set(), convert))
    this.#within.delete($ref)
  }

  /** @param required whether all fields around it are required */
  #convert(schema: JSONSchema, required: boolean): JSONSchema {
    const reference = asReference(schema)
    if (isReference(reference)) return this.#reference(reference, required)
    const { allOf, ...own } = schema
    if (!Array.isArray(allOf) || ++this.#merges > mostMerges) return this.#convertWhole(own, required)
    const merged = new Set(this.#merged)
    const whole = withoutAllOf(schema, this.#root, merged)
    return this.#having(merged, () => this.#convertWhole(whole, required))
  }

  #having(merged: ReadonlySet<string>, convert: () => JSONSchema): JSONSchema {
    const around = this.#merged
    this.#merged = merged
    const converted = convert()
    this.#merged = around
    return converted
  }

  /** @param whole without `allOf` */
  #convertWhole(whole: JSONSchema, required: boolean): JSONSchema {
    const kept: JSONSchema = {}
    for (const [keyword, value] of Object.entries(whole)) {
      if (readAsItIs.has(keyword)) kept[keyword] = value
      else if (keyword === 'properties' && isRecord(value)) kept.properties = this.#properties(value, whole, required)
      else if (keyword === 'items' || keyword === 'additionalProperties') this.#inner(kept, keyword, value, required)
      else if (listsOfSchemas.has(keyword)) kept[keyword] = this.#each(value, required)
    }
    return withNotes(withConstants(withNames(kept), whole), whole)
  }

  #properties(properties: JSONSchema, { required: names }: JSONSchema, required: boolean): JSONSchema {
    const entries = Object.entries(properties).map(([name, property]) => {
      const mustBe = required && Array.isArray(names) && names.includes(name)
      return [name, isRecord(property) ? this.#convert(property, mustBe) : {}]
    })
    return Object.fromEntries(entries)
  }

  #inner(kept: JSONSchema, keyword: 'items' | 'additionalProperties', value: unknown, required: boolean): void {
    if (isRecord(value)) kept[keyword] = this.#convert(value, required)
    else if (Array.isArray(value)) kept.prefixItems = this.#each(value, required)
    else if (keyword === 'additionalProperties') kept[keyword] = value
  }

  #each(value: unknown, required: boolean): JSONSchema[] {
    return schemasIn(value).map((schema) => this.#convert(schema, required))
  }

  #reference({ $ref, ...beside }: Reference, required: boolean): JSONSchema {
    const target = resolveReference($ref, this.#root)
    const around = this.#convert(beside, required)
    if (!target) return around
    if (required && this.#within.has($ref)) {
      this.#opened.add($ref)
      const type = typeof target.type === 'string' ? { type: target.type } : {}
      return { ...type, description: `One more ${this.#nameOf($ref)}.`, ...around }
    }
    if (required) this.#define($ref)
    else this.#undefinedYet.add($ref)
    // Gemini takes nothing beside a reference: the rest goes around it.
    const alone = { $ref: `#/$defs/${this.#nameOf($ref)}` }
    return Object.keys(around).length === 0 ? alone : { ...around, anyOf: [alone] }
  }

  /**
   * Two references may get the same name, for example if their names have other scripts: a number distinguishes them.
   */
  #nameOf($ref: string): string {
    const known = this.#names.get($ref)
    if (known !== undefined) return known
    const plain = nameOf($ref)
    let name = plain
    for (let number = 2; this.#named.has(name); number++) name = `${plain}_${number}`
    this.#named.add(name)
    this.#names.set($ref, name)
    return name
  }
}

/** Schemas with `allOf`: those that hold one another would become one without end. */
const mostMerges = 1000

const readAsItIs: ReadonlySet<string> = new Set(
  `$id $anchor type format title description minItems maxItems minimum maximum required propertyOrdering`.split(' '),
)
const listsOfSchemas: ReadonlySet<string> = new Set(['prefixItems', 'anyOf', 'oneOf'])

/** Required names that are no properties are refused. */
function withNames(kept: JSONSchema): JSONSchema {
  const { required, properties } = kept
  if (!Array.isArray(required) || !isRecord(properties)) return kept
  return { ...kept, required: required.filter((name) => Object.hasOwn(properties, String(name))) }
}

/** Gemini reads only texts and numbers of an enum, and does not read `const`. */
function withConstants(kept: JSONSchema, whole: JSONSchema): JSONSchema {
  const values = 'const' in whole ? [whole.const] : whole.enum
  if (!Array.isArray(values)) return kept
  const isRead = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
  const read = values.filter(isRead)
  const other = values.filter((value) => !isRead(value))
  if (other.length === 0) return { ...kept, ...(kept.type === undefined && typeOf(read)), enum: read }
  if (other.every((value) => typeof value === 'boolean')) return { type: 'boolean', ...kept }
  if (other.some((value) => value !== null)) return kept
  if (read.length === 0) return { ...kept, type: 'null' }
  const { type, ...rest } = kept
  const types = [type].flat().filter((name) => typeof name === 'string' && name !== 'null')
  return {
    ...rest,
    anyOf: [{ ...(types.length === 1 ? { type: types[0] } : typeOf(read)), enum: read }, { type: 'null' }],
  }
}

function typeOf(values: readonly unknown[]): JSONSchema {
  const types = new Set(values.map((value) => typeof value))
  return types.size === 1 ? { type: [...types][0] } : {}
}

/** How the description words the keywords that Gemini ignores. */
const inWords: Readonly<Record<string, string>> = {
  pattern: 'pattern',
  minLength: 'at least so many characters',
  maxLength: 'at most so many characters',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
  uniqueItems: 'no item twice',
  default: 'default',
  examples: 'examples',
}

function withNotes(kept: JSONSchema, whole: JSONSchema): JSONSchema {
  const notes = Object.entries(whole).flatMap(([keyword, value]) =>
    Object.hasOwn(inWords, keyword) ? [`${inWords[keyword]}: ${JSON.stringify(value)}`] : [],
  )
  const values = 'const' in whole ? [whole.const] : whole.enum
  const isRead = 'enum' in kept || 'anyOf' in kept || kept.type === 'null'
  if (Array.isArray(values) && !isRead) notes.push(`one of: ${values.map((value) => JSON.stringify(value)).join(', ')}`)
  if (notes.length === 0) return kept
  return { ...kept, description: [kept.description, `(${notes.join('; ')})`].filter(Boolean).join(' ') }
}

/** `#/$defs/Node` is `Node`, `#` is `root`. */
function nameOf($ref: string): string {
  const name = $ref.replace(/^#(?:\/(?:\$defs|definitions)\/)?/, '').replace(/[^\w.-]+/g, '_')
  return name === '' ? 'root' : name
}
