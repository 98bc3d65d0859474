import { jsonOf } from '../answer/answer-schemas.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { infoRoute } from './info-route.ts'
import { readyRoute } from './ready-route.ts'

/** The routes that describe the agent. */
export function aboutRoutes({ agent }: RouteParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/sample_prompts',
      tag: 'about',
      summary: 'Lists questions that the agent can answer',
      answers: {
        200: {
          description: 'The sample prompts',
          content: jsonOf({ sample_prompts: { type: 'array', items: { type: 'string' } } }),
        },
      },
      handle: (context) => context.json({ sample_prompts: agent.samplePrompts }),
    }),
  ]
}

/** The routes that need no token. Their answers depend on the token. */
export function publicRoutes(parts: RouteParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      tag: 'about',
      summary: 'Says that the process answers',
      answers: {
        200: {
          description: 'It does',
          content: jsonOf({ status: { const: 'healthy' } }),
        },
      },
      handle: (context) => context.json({ status: 'healthy' }),
    }),
    readyRoute(parts),
    infoRoute(parts),
  ]
}
