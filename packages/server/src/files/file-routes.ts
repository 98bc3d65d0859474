import type { RouteParts } from '../request/parts.ts'
import type { Route } from '../request/route.ts'

/** Their routes. */
export function fileRoutes(_parts: RouteParts): Route[] {
  return []
}
