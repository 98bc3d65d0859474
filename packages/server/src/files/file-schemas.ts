import type { JSONSchema } from '@agentkit/core'
import { type ObjectSchema, type OptionalSchema, object, optional } from 'valibot'
import { idField } from '../request/fields.ts'

/** The query of the routes of files. */
export const userQuery: ObjectSchema<{ user_id: OptionalSchema<typeof idField, undefined> }, undefined> = object({
  user_id: optional(idField),
})

const text: JSONSchema = { type: 'string' }
/** JSON Schemas of what the routes of files answer, for `/openapi.json`. */
export const fileNames: JSONSchema = { type: 'array', items: text }
export const fileDetails: JSONSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: text, size: { type: 'integer' }, status: text, reason: text },
    required: ['name', 'size', 'status'],
  },
}
