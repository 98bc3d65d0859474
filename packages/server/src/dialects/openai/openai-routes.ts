import type { RouteParts } from '../../request/parts.ts'
import type { Route } from '../../request/route.ts'
import { completionsRoute } from './completions-route.ts'
import { modelsRoutes } from './models-routes.ts'
import { responsesRoute } from './responses-route.ts'
import { storedResponsesRoutes } from './stored-responses-routes.ts'

/** The API of OpenAI, for its clients and every program with the same API. */
export function openaiRoutes(parts: RouteParts): Route[] {
  return [...modelsRoutes(parts), completionsRoute(parts), responsesRoute(parts), ...storedResponsesRoutes(parts)]
}
