import type { Hono } from 'hono'
import { generateSpecs } from 'hono-openapi'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerEnv } from '../util/server-env.ts'

/** The documentation of the app's routes. */
export function docsRoutes({ agent }: RouteParts, app: Hono<ServerEnv>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      tag: 'about',
      summary: 'Describes the routes (OpenAPI 3.1)',
      answers: { 200: { description: 'The description' } },
      async handle(context) {
        const documentation = { info: { title: agent.name, version: '1' }, openapi: '3.1.0' }
        return context.json(await generateSpecs(app, { documentation }))
      },
    }),
  ]
}
