import type { JSONSchema, StandardSchema } from '@agentkit/core'
import { invalidArgument, isRecord, jsonSchemaValidator, standardResult } from '@agentkit/core/internal'
import type { Scorer } from '../data/scorer.ts'
import { parsedAnswer } from './parsed-answer.ts'
import { cut } from './text-scorers.ts'

/**
 * Whether the answer has the form of a schema: its `output`, else its text as JSON, also in a Markdown fence.
 *
 * @param schema JSON Schema, or a Standard Schema such as zod's
 * @throws AgentKitError `invalid-argument` for something other than a schema
 * @example
 * jsonShape(z.object({ city: z.string(), degrees: z.number() }))
 */
export function jsonShape(schema: JSONSchema | StandardSchema): Scorer {
  // A schema of arktype is a function.
  if (!isRecord(schema) && typeof schema !== 'function') {
    throw invalidArgument('`jsonShape` takes a JSON Schema, or a schema of zod, valibot or arktype.')
  }
  let validate: ReturnType<typeof validator> | undefined
  return {
    name: 'jsonShape',
    version: versionOf(schema),
    async score({ result }) {
      const answer = parsedAnswer(result)
      if (!answer) return { score: 0, reason: 'the answer is not JSON' }
      validate ??= validator(schema)
      const problem = await (await validate)(answer.value)
      return problem === undefined ? 1 : { score: 0, reason: cut(problem) }
    },
  }
}

/** @returns a function that returns the problem of a value */
async function validator(
  schema: JSONSchema | StandardSchema,
): Promise<(value: unknown) => string | undefined | Promise<string | undefined>> {
  if (isStandard(schema)) {
    return async (value) => {
      const { issues } = await standardResult(schema, value)
      return issues?.map(({ path = [], message }) => [...path.map(keyOf), message].join(': ')).join('; ')
    }
  }
  const validate = await jsonSchemaValidator(structuredClone(schema), '`jsonShape`')
  return (value) => validate(value).problems?.join('; ')
}

function isStandard(schema: JSONSchema | StandardSchema): schema is StandardSchema {
  return '~standard' in schema
}

/** A schema in a library's own form is known by its JSON Schema, where it offers one. */
function versionOf(schema: JSONSchema | StandardSchema): string {
  try {
    if (!isStandard(schema)) return JSON.stringify(schema)
    const { vendor, jsonSchema } = schema['~standard']
    return JSON.stringify([vendor, jsonSchema?.input({ target: 'draft-2020-12' })])
  } catch {
    return 'schema'
  }
}

function keyOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === 'object' ? step.key : step)
}
