import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStandardSchema, type StandardIssue, type StandardSchema } from '../contracts/standard-schema.ts'
import { invalidArgument, isInstance, messageOf } from '../data/errors.ts'
import type { JSONSchema, JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { measureJSON } from '../util/json/measure-json.ts'
import { boundErrors, boundVisits, TooMuchValidation, withinBounds } from './bounded-validation.ts'
import { shapeProblem } from './check-json-schema.ts'
import { innermostIssues } from './innermost-issues.ts'
import { withoutOptionalNulls } from './optional-nulls.ts'
import { type Located, relevantErrors } from './relevant-errors.ts'
import { standardResult } from './standard-result.ts'
import { type SchemaOwner, toJSONSchema, unusableSchema } from './to-json-schema.ts'
import { isURL } from './url-format.ts'

/** The schema of a tool or an answer: as JSON Schema for the model, with the validation of what it writes. */
export type CompiledSchema = {
  json: JSONSchema
  validate(value: unknown): Validation | Promise<Validation>
}
export type Validation = { value: unknown; problems?: undefined } | { problems: string[] }

/**
 * Compiles the schema of a tool. The validation accepts null for omitted fields, which models write.
 * @param owner for error messages: `Tool "echo"`
 * @throws AgentKitError `invalid-argument` when the schema has no JSON Schema, or its root is not an object
 */
export async function compileSchema(schema: JSONSchema | StandardSchema, owner: string): Promise<CompiledSchema> {
  const named = { name: owner, option: 'input' }
  const json = await describeSchema(schema, named)
  if (json.type !== 'object') {
    throw invalidArgument(
      `${owner}: the schema's root must be an object (type: "object"). Put the value into a field of one.`,
    )
  }
  const validateOne = acceptingNulls(await schemaValidator(schema, json, named), json)
  return {
    json,
    validate: (value) => (isLarge(value) ? inTurn(() => validateOne(value)) : validateOne(value)),
  }
}

/** The validation, which accepts null for omitted fields too: models write it. */
export function acceptingNulls(validate: CompiledSchema['validate'], json: JSONSchema): CompiledSchema['validate'] {
  return (value) => {
    const found = validate(value)
    return found instanceof Promise ? found.then(retryWithoutNulls) : retryWithoutNulls(found)

    function retryWithoutNulls(validation: Validation): Validation | Promise<Validation> {
      const without = validation.problems ? withoutOptionalNulls(value, json, json) : value
      if (without === value) return validation
      const again = validate(without)
      const better = (other: Validation): Validation => (other.problems ? validation : other)
      return again instanceof Promise ? again.then(better) : better(again)
    }
  }
}

function isLarge(value: unknown): boolean {
  const { problem } = measureJSON(value, { depth: limits.argumentDepth, values: limits.valuesAtOnce })
  return problem === 'too-many'
}

let turn: Promise<unknown> = Promise.resolve()

/** Runs one at a time in a turn of the event loop, across the process: many large calls must not block it. */
function inTurn<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  const begun = turn.then(() => nextTurn()).then(() => [work()] as const)
  // The next one waits only until this one has begun: an asynchronous validation may take for ever.
  turn = begun.catch(() => {})
  return begun.then(([value]) => value)
}

/**
 * Any schema as JSON Schema, without its dialect.
 * @throws AgentKitError `invalid-argument` when it has none
 */
export async function describeSchema(schema: JSONSchema | StandardSchema, owner: SchemaOwner): Promise<JSONSchema> {
  const { $schema: _dialect, ...json } = isStandardSchema(schema)
    ? await toJSONSchema(schema, owner)
    : copyOf(schema, owner)
  const problem = shapeProblem(json, owner.option)
  if (problem !== undefined) throw invalidArgument(`${owner.name}: ${problem}`)
  if (!isStandardSchema(schema)) dropUndefined(json)
  return withoutRootReference(json)
}

/** Removes undefined fields, which JSON does not have; the validator would treat them as schemas. */
function dropUndefined(json: object): void {
  for (const [key, child] of Object.entries(json)) {
    if (child === undefined) delete json[key as keyof typeof json]
    else if (typeof child === 'object' && child !== null) dropUndefined(child)
  }
}

/** Copies a schema: the validator writes into it, and the caller's may be frozen or change later. */
function copyOf(schema: JSONSchema, owner: SchemaOwner): JSONSchema {
  try {
    return structuredClone(schema)
  } catch (cause) {
    throw unusableSchema(cause, owner.name)
  }
}

/**
 * The validation of a schema: its own, or that of its JSON Schema.
 * @param json the result of {@link describeSchema}
 * @param place the path of the value in what the model writes, for the paths of problems
 */
export async function schemaValidator(
  schema: JSONSchema | StandardSchema,
  json: JSONSchema,
  owner: SchemaOwner,
  place: readonly string[] = [],
): Promise<CompiledSchema['validate']> {
  if (isStandardSchema(schema)) {
    return (value) => {
      const problem = tooMuch(value)
      return problem === undefined ? validateStandard(schema, value, place) : { problems: [problem] }
    }
  }
  const validate = await jsonSchemaValidator(json, owner.name, place)
  return (value) => validate(value)
}

/** Why a value, which stays as it is, does not fit a schema; `undefined` for one that fits. */
export async function valueProblems(
  schema: JSONSchema | StandardSchema,
  value: JSONValue,
  owner: SchemaOwner,
): Promise<string[] | undefined> {
  const validate = await schemaValidator(schema, await describeSchema(schema, owner), owner)
  return (await validate(structuredClone(value))).problems
}

/** Why a value is too large to validate: each field costs microseconds, and a model may write any number of them. */
function tooMuch(value: unknown): string | undefined {
  const { argumentDepth: depth, argumentValues: values } = limits
  const { problem } = measureJSON(value, { depth, values })
  if (problem === 'too-many') return `It has more than ${values} fields and items: give fewer`
  return problem === 'too-deep' ? `It is nested deeper than ${depth} levels: make it flatter` : undefined
}

/**
 * The validation of a JSON Schema with any root. Its problems are written for a model.
 *
 * @param name the owner of the schema, for errors: `Tool "echo"`
 * @param place the path of the value in what the model writes, for the paths of problems
 * @returns validates a value by the schema, or by `part`, an object within the schema
 * @throws AgentKitError `invalid-argument` when the schema cannot be used
 * @example
 * const validate = await jsonSchemaValidator({ type: 'array', items: { type: 'string' } }, 'The list of cities')
 * validate(['Oslo', 7]).problems // ['#/1: Instance type "number" is invalid. Expected "string".']
 */
export async function jsonSchemaValidator(
  schema: JSONSchema,
  name: string,
  place: readonly string[] = [],
): Promise<(value: unknown, part?: JSONSchema) => Validation> {
  // Loaded lazily, because most tools bring their own validator.
  const { dereference, format, validate } = await import('@cfworker/json-schema')
  format.url = isURL
  const root = ['#', ...place].join('/')
  let references: ReturnType<typeof dereference>
  let bounds: ValueBounds
  try {
    references = dereference(schema)
    bounds = boundsOf(schema, Object.values(references))
    boundVisits(Object.values(references))
  } catch (cause) {
    throw unusableSchema(cause, name)
  }
  return (value, part = schema) => {
    try {
      const problem = tooMuch(value) ?? outOfBounds(value, bounds)
      if (problem !== undefined) return { problems: [`${root}: ${problem}`] }
      return withinBounds(() => {
        // Stops at the first error: where a field decides the branch, the other branches end there.
        const first = validate(value, part, '2020-12', references, true)
        if (first.valid) return { value }
        return { problems: innermostProblems(allErrors(first), root) }

        function allErrors({ errors }: typeof first): readonly Located[] {
          try {
            boundErrors()
            return validate(value, part, '2020-12', references, false).errors
          } catch (error) {
            if (isInstance(error, TooMuchValidation)) return errors
            throw error
          }
        }
      })
    } catch (error) {
      if (isInstance(error, TooMuchValidation)) {
        const problem = `The value is too deep for the schema of ${name}, whose branches refer to themselves`
        return { problems: [`${root}: ${problem}: make it flatter or smaller`] }
      }
      // A value that is not JSON, or is nested too deep.
      return { problems: [`${root}: ${messageOf(error)}`] }
    }
  }
}

/** The bounds of a value that follow from its schema. */
type ValueBounds = { items: number; keys: number }

function boundsOf(schema: JSONSchema, parts: readonly unknown[]): ValueBounds {
  const patterns = Math.max(1, ...parts.map(patternsOf))
  return {
    items: JSON.stringify(schema).includes('"uniqueItems":true') ? limits.uniqueItems : Number.POSITIVE_INFINITY,
    keys: Math.floor(limits.patternTests / patterns),
  }
}

function patternsOf(part: unknown): number {
  const { patternProperties } = Object(part) as { patternProperties?: unknown }
  return Object.keys(Object(patternProperties)).length
}

function outOfBounds(value: unknown, bounds: ValueBounds): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Object.keys(value)
  if (Array.isArray(value)) {
    if (keys.length > bounds.items)
      return `A list has more than ${bounds.items} items, and they must all differ: give fewer`
  } else {
    if (keys.length > bounds.keys) return `An object has more than ${bounds.keys} fields: give fewer`
    if (keys.some((key) => key.length > limits.patternChars))
      return `The name of a field has more than ${limits.patternChars} characters: shorten it`
  }
  for (const child of Object.values(value)) {
    const problem = outOfBounds(child, bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The validator reports each enclosing schema too; only the innermost ones name what to change. */
function innermostProblems(errors: readonly Located[], root: string): string[] {
  const some = relevantErrors(errors).slice(0, 50)
  const innermost = some.filter((error) => !some.some((other) => isInside(other, error)))
  return firstProblems(innermost.map((error) => `${root}${error.instanceLocation.slice(1)}: ${wordsOf(error)}`))
}

/** As the validator says it, except where that says something else than what is wrong. */
function wordsOf({ keyword, error }: Located): string {
  if (keyword === 'pattern') return `${error} Text of more than ${limits.patternChars} characters never does.`
  if (keyword === 'maxProperties') return error.replace('does not have at least', 'has more than')
  return keyword === 'exclusiveMinimum' ? error.replace('less than', 'less than or equal to') : error
}

function isInside(inner: Located, outer: Located): boolean {
  return inner !== outer && inner.keywordLocation.startsWith(`${outer.keywordLocation}/`)
}

async function validateStandard(schema: StandardSchema, value: unknown, place: readonly string[]): Promise<Validation> {
  const result = await standardResult(schema, value)
  if (!result.issues) return { value: result.value }
  const issues = result.issues.flatMap(innermostIssues)
  return { problems: firstProblems(issues.map((issue) => `${issuePath(issue, place)}: ${issue.message}`)) }
}

/** The first problems: more of them help no model. */
function firstProblems(problems: string[]): string[] {
  return problems.length <= 10 ? problems : [...problems.slice(0, 10), `and ${problems.length - 10} more`]
}

function issuePath(issue: StandardIssue, place: readonly string[]): string {
  const keys = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step))
  return [...place, ...keys].join('.') || 'input'
}

/** Named schemas are described as a reference to their definition; this resolves that of the root. */
function withoutRootReference(json: JSONSchema): JSONSchema {
  const { $ref, ...root } = json
  const [, list, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String($ref)) ?? []
  const named = list === undefined || name === undefined ? undefined : entryOf(entryOf(json, list), name)
  return named ? { ...named, ...root } : json
}

function entryOf(record: JSONSchema | undefined, key: string): JSONSchema | undefined {
  const entry = record && Object.hasOwn(record, key) ? record[key] : undefined
  // The values under `$defs` are objects.
  return typeof entry === 'object' && entry !== null ? (entry as JSONSchema) : undefined
}
