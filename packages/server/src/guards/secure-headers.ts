import type { Guard } from '../util/server-env.ts'

const secureHeaders: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
]

/** Answers are data: pages may not frame, sniff or cache them. */
export const secureHeadersGuard: Guard = async function secure(context, next) {
  await next()
  const { headers } = context.res
  // A page has a policy of its own.
  for (const [name, value] of secureHeaders) if (!headers.has(name)) headers.set(name, value)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}
