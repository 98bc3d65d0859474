import { Hono } from 'hono'
import { createCapacity } from '../capacity/capacity.ts'
import { fileRoutes } from '../files/file-routes.ts'
import { mountRoutes } from '../mount-routes.ts'
import { checkOptions } from '../options.ts'
import type { RouteParts } from '../request/parts.ts'
import { ProblemError, problemResponse } from '../answer/problem.ts'
import type { ServerEnv } from '../util/server-env.ts'
import { fakeAgent } from './fake-agent.ts'
import type { FolderKnowledge } from './folder-knowledge.ts'

/** Uploads a form to the routes of files alone, with parts that no option sets. */
export async function uploadWith(knowledge: FolderKnowledge, more: Partial<RouteParts>, body: FormData): Promise<Response> {
  const { limits, log, rules } = checkOptions()
  const app = new Hono<ServerEnv>()
  const agent = { ...fakeAgent(), knowledge }
  const parts = { agent, capacity: createCapacity(limits, agent, rules), limits, log, rules, ...more }
  mountRoutes(app, fileRoutes(parts), parts)
  app.onError((error) => problemResponse(error instanceof ProblemError ? error : new ProblemError('internal-error'), 'id'))
  const response = await app.request('/api/v1/uploadfiles', { method: 'POST', body })
  response.headers.set('x-request-id', 'id')
  return response
}
