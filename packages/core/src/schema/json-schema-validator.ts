import { isInstance, messageOf } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { limits } from '../limits.ts'
import { boundErrors, boundVisits, TooMuchValidation, withinBounds } from './bounded-validation.ts'
import { type Located, relevantErrors } from './relevant-errors.ts'
import { unusableSchema } from './to-json-schema.ts'
import { isURL } from './url-format.ts'
import { firstProblems, tooMuch, type Validation } from './validation.ts'

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
