import { routePath } from 'hono/route'
import type { ServerContext } from './server-env.ts'

/**
 * The path of a request within the app, for middleware of all paths: an app below `/agent` of another one sees `/docs` for
 * `/agent/docs`.
 */
export function localPath(context: ServerContext): string {
  const prefix = routePath(context).replace(/\/?\*$/, '')
  return context.req.path.slice(prefix.length).replace(/\/$/, '') || '/'
}
