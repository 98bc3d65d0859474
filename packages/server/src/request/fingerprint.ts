import { hash } from 'node:crypto'

/**
 * A hash of what a client sent, to recognise the same request when it is sent again: the same for the same fields and
 * values, in whatever order.
 */
export function fingerprint(sent: unknown): string {
  return hash('sha256', JSON.stringify(sorted(sent)))
}

/** With the keys of each object in order. What comes from `JSON.parse` within a limit of depth needs no other bound. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, item]) => [key, sorted(item)])
}
