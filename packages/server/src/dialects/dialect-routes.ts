import type { RouteParts } from '../request/parts.ts'
import type { Route } from '../request/route.ts'
import { a2aRoute, agentCardRoute } from './a2a/a2a-routes.ts'
import { aguiRoute } from './agui/agui-route.ts'
import { mcpRoute } from './mcp/mcp-route.ts'
import { openaiRoutes } from './openai/openai-routes.ts'
import { uiRoutes } from './ui/ui-routes.ts'

const makers: Readonly<Record<string, (parts: RouteParts) => Route[]>> = {
  openai: openaiRoutes,
  ui: uiRoutes,
  agui: (parts) => [aguiRoute(parts)],
  mcp: (parts) => [mcpRoute(parts)],
  a2a: (parts) => [a2aRoute(parts)],
}

/** The routes of the protocols that are switched on. */
export function dialectRoutes(parts: RouteParts): Route[] {
  return Object.entries(makers).flatMap(([name, make]) => (parts.rules.dialects.has(name) ? make(parts) : []))
}

/** The routes that need no token. */
export function publicDialectRoutes(parts: RouteParts): Route[] {
  return parts.rules.dialects.has('a2a') ? [agentCardRoute(parts)] : []
}
