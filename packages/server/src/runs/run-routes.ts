import type { RouteParts } from '../request/parts.ts'
import type { Route } from '../request/route.ts'

/** Their routes. */
export function runRoutes(_parts: RouteParts): Route[] {
  return []
}
