import { jsonOf } from '../../answer/answer-schemas.ts'
import { ProblemError } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import { defineRoute, type Route } from '../../request/route.ts'

const text = { type: 'string' }
const fields = { id: text, object: { const: 'model' }, created: { type: 'integer' }, owned_by: text }

/** The agent as the one model of the server. */
export function modelsRoutes({ agent }: RouteParts): Route[] {
  const created = Math.floor(Date.now() / 1_000)
  const model = { id: agent.id, object: 'model', created, owned_by: 'agentkit' }
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/models',
      tag: 'dialects',
      summary: 'Lists the agent as a model',
      answers: {
        200: {
          description: 'The models',
          content: jsonOf({ object: { const: 'list' }, data: { type: 'array', items: { type: 'object' } } }),
        },
      },
      handle: (context) => context.json({ object: 'list', data: [model] }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/models/:model',
      tag: 'dialects',
      summary: 'Shows the agent as a model',
      answers: { 200: { description: 'The model', content: jsonOf(fields) } },
      handle(context, { param }) {
        if (param('model') === agent.id) return context.json(model)
        const detail = `This server has one model, "${agent.id}".`
        throw new ProblemError('not-found', { detail, errors: [{ path: ['model'], message: 'does not exist' }] })
      },
    }),
  ]
}
