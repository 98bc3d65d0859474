import { object, optional } from 'valibot'
import { idField } from '../request/fields.ts'

/** The query of the routes of files. */
export const userQuery = object({ user_id: optional(idField) })

const text = { type: 'string' }
/** JSON Schemas of what the routes of files answer, for `/openapi.json`. */
export const names = { type: 'array', items: text }
export const details = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: text, size: { type: 'integer' }, status: text, reason: text },
    required: ['name', 'size', 'status'],
  },
}
