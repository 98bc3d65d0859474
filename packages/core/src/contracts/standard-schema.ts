import type { JSONSchema } from '../data/message.ts'

/**
 * The part of the Standard Schema interface that agentkit uses; zod 3.25 and 4, valibot and arktype implement it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Standard JSON Schema: the schema converts itself. */
    readonly jsonSchema?: {
      input(options: { target: string }): Record<string, unknown> | PromiseLike<Record<string, unknown>>
    }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export type StandardIssue = {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type of a value that the schema has validated. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

export function isStandardSchema(value: JSONSchema | StandardSchema): value is StandardSchema {
  return '~standard' in value
}
