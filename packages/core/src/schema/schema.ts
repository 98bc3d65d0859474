import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStandardSchema, type StandardIssue, type StandardSchema } from '../contracts/standard-schema.ts'
import { invalidArgument } from '../data/errors.ts'
import type { JSONSchema, JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { measureJSON } from '../util/json/measure-json.ts'
import { describeSchema } from './describe-schema.ts'
import { innermostIssues } from './innermost-issues.ts'
import { jsonSchemaValidator } from './json-schema-validator.ts'
import { withoutOptionalNulls } from './optional-nulls.ts'
import { standardResult } from './standard-result.ts'
import type { SchemaOwner } from './to-json-schema.ts'
import { firstProblems, tooMuch, type Validation } from './validation.ts'

/** The schema of a tool or an answer: as JSON Schema for the model, with the validation of what it writes. */
export type CompiledSchema = {
  json: JSONSchema
  validate(value: unknown): Validation | Promise<Validation>
}

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

async function validateStandard(schema: StandardSchema, value: unknown, place: readonly string[]): Promise<Validation> {
  const result = await standardResult(schema, value)
  if (!result.issues) return { value: result.value }
  const issues = result.issues.flatMap(innermostIssues)
  return { problems: firstProblems(issues.map((issue) => `${issuePath(issue, place)}: ${issue.message}`)) }
}

function issuePath(issue: StandardIssue, place: readonly string[]): string {
  const keys = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step))
  return [...place, ...keys].join('.') || 'input'
}
