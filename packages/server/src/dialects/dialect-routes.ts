import type { RouteParts } from '../request/parts.ts'
import type { Route } from '../request/route.ts'
import { aguiRoute } from './agui/agui-route.ts'
import { openaiRoutes } from './openai/openai-routes.ts'
import { uiRoutes } from './ui/ui-routes.ts'

const makers: Readonly<Record<string, (parts: RouteParts) => Route[]>> = {
  openai: openaiRoutes,
  ui: uiRoutes,
  agui: (parts) => [aguiRoute(parts)],
}

/** The routes of the protocols that are switched on. */
export function dialectRoutes(parts: RouteParts): Route[] {
  return Object.entries(makers).flatMap(([name, make]) => (parts.rules.dialects.has(name) ? make(parts) : []))
}
