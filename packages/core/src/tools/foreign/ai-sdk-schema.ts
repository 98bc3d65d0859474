import { isStandardSchema, type StandardResult, type StandardSchema } from '../../contracts/standard-schema.ts'
import { messageOf } from '../../data/errors.ts'
import type { JSONSchema } from '../../data/message.ts'
import { jsonSchemaValidator } from '../../schema/json-schema-validator.ts'
import type { Fields } from './foreign-tool.ts'
import { refusal } from './refusal.ts'

const wrapperMark = Symbol.for('vercel.ai.schema')

/** The schema that `jsonSchema()` and `zodSchema()` of the AI SDK make. */
type Wrapper = {
  readonly jsonSchema: JSONSchema | PromiseLike<JSONSchema>
  readonly validate?: (value: unknown) => WrapperResult | PromiseLike<WrapperResult>
}
type WrapperResult = { success: true; value: unknown } | { success: false; error: unknown }

/** The schema of an AI SDK tool: one of a schema library, a wrapped one, or a function that makes one when needed. */
export function schemaOf(given: unknown, name: string): JSONSchema | StandardSchema {
  if (given === undefined || given === null) return { type: 'object', properties: {}, additionalProperties: false }
  if (typeof given !== 'object' && typeof given !== 'function') throw refusal(name, '`inputSchema` is not a schema.')
  // A schema of arktype is a function too.
  if (isStandardSchema(given as JSONSchema)) return given as StandardSchema
  if (typeof given === 'function') return schemaOf(made(given as () => unknown, name), name)
  if (!isWrapper(given)) return given as JSONSchema
  if (typeof given.validate === 'function') return standardSchemaOf(given, given.validate.bind(given), name)
  const { jsonSchema } = given
  return isThenable(jsonSchema) ? standardSchemaOf(given, undefined, name) : jsonSchema
}

/** Whether only the AI SDK makes such schemas. */
export function isAISDKSchema(given: unknown): boolean {
  if (typeof given === 'function') return !('~standard' in given)
  return typeof given === 'object' && given !== null && isWrapper(given)
}

function isWrapper(given: object): given is Wrapper {
  return wrapperMark in given && 'jsonSchema' in given
}

function made(make: () => unknown, name: string): unknown {
  try {
    return make()
  } catch (cause) {
    throw refusal(name, `the function that makes its schema failed: ${messageOf(cause)}`)
  }
}

function standardSchemaOf(wrapper: Wrapper, validate: Wrapper['validate'], name: string): StandardSchema {
  let own: ReturnType<typeof jsonSchemaValidator> | undefined
  return {
    '~standard': {
      version: 1,
      vendor: 'ai-sdk',
      async validate(value) {
        if (validate) return resultOf(await validate(value))
        own ??= Promise.resolve(wrapper.jsonSchema).then((json) => jsonSchemaValidator({ ...json }, `Tool "${name}"`))
        const { problems } = (await own)(value)
        return problems ? { issues: problems.map((message) => ({ message })) } : { value }
      },
      jsonSchema: { input: () => wrapper.jsonSchema },
    },
  }
}

function resultOf(result: WrapperResult): StandardResult<unknown> {
  if (result.success) return { value: result.value }
  const { error } = result
  const { issues } = Object(error) as Fields
  const listed = Array.isArray(issues) ? issues.filter(hasMessage) : []
  return { issues: listed.length > 0 ? listed : [{ message: messageOf(error) || 'It does not fit the schema' }] }
}

function hasMessage(issue: unknown): issue is { message: string } {
  return typeof Object(issue).message === 'string'
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof Object(value).then === 'function'
}
