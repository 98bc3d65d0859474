import { hash } from 'node:crypto'
import type { ServerContext } from '../util/server-env.ts'
import { idempotencyKeyOf } from './idempotency.ts'

/**
 * A hash of what a client sent, to recognize the same request when it is sent again: the same for the same fields and
 * values, in whatever order. Empty for a request without an `Idempotency-Key`, which is compared with no other.
 */
export function fingerprint(context: ServerContext, sent: unknown): string {
  return idempotencyKeyOf(context) === undefined ? '' : hash('sha256', JSON.stringify(sorted(sent)))
}

/** The value with the sorted keys of each object. A value of `JSON.parse` with limited depth needs no other bound. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, item]) => [key, sorted(item)])
}
