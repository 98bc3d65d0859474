import type { RouteParts } from '../request/parts.ts'
import type { Route } from '../request/route.ts'
import { aguiRoute } from './agui/agui-route.ts'
import { uiRoutes } from './ui/ui-routes.ts'

/** The routes of the protocols that are switched on. */
export function dialectRoutes(parts: RouteParts): Route[] {
  const { dialects } = parts.rules
  return [...(dialects.has('ui') ? uiRoutes(parts) : []), ...(dialects.has('agui') ? [aguiRoute(parts)] : [])]
}
