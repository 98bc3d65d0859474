import type { RouteParts } from '../request/parts.ts'
import type { Route } from '../request/route.ts'
import { uiRoutes } from './ui/ui-routes.ts'

/** The routes of the protocols that are switched on. */
export function dialectRoutes(parts: RouteParts): Route[] {
  return parts.rules.dialects.has('ui') ? uiRoutes(parts) : []
}
