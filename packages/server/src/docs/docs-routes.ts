import type { Hono } from 'hono'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { compressed } from '../util/compressed.ts'
import type { ServerEnv } from '../util/server-env.ts'
import { docsPage, docsPolicy, startScript } from './docs-page.ts'
import { openAPIDocument } from './openapi-document.ts'

/** The documentation of the app's routes. */
export function docsRoutes({ agent, rules }: RouteParts, app: Hono<ServerEnv>): Route[] {
  let document: Promise<object> | undefined
  return [
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      tag: 'about',
      summary: 'Describes the routes (OpenAPI 3.1)',
      answers: { 200: { description: 'The description', content: { 'application/json': { type: 'object' } } } },
      async handle(context) {
        document ??= openAPIDocument(app, agent, rules.hasAuth)
        return context.json(await document)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/docs',
      tag: 'about',
      summary: 'Shows this description',
      answers: { 200: { description: 'The page', content: { 'text/html': text } } },
      handle(context) {
        // The path may end in a slash, from which addresses begin one level below.
        const files = new URL(context.req.url).pathname.endsWith('/') ? './' : './docs/'
        const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': docsPolicy }
        return context.body(docsPage(agent.name, files), 200, headers)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/docs/:file',
      tag: 'about',
      summary: 'Serves a file of that page',
      answers: { 200: { description: 'The file', content: { 'text/javascript': text, 'text/css': text } } },
      async handle(context, { param }) {
        const file = param('file')
        if (file === 'start.js') return context.body(startScript, 200, typeOf(file))
        if (file !== 'swagger-ui-bundle.js' && file !== 'swagger-ui.css') throw new ProblemError('not-found')
        const { swaggerUI } = await import('#swagger-ui')
        return compressed(context, await swaggerUI(file), typeOf(file))
      },
    }),
  ]
}

const text = { type: 'string' }

function typeOf(file: string): Record<string, string> {
  return { 'content-type': file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8' }
}
