// app/agent/[[...path]]/route.ts
import { Hono } from 'hono'
import { agentApp } from './agent-app.ts'

export const dynamic = 'force-dynamic'

const app = new Hono().mount('/agent', agentApp.fetch)
const handle = (request: Request): Response | Promise<Response> => {
  const headers = new Headers(request.headers)
  // Next compresses answers itself, and removes the header of those that are compressed.
  headers.delete('accept-encoding')
  return app.fetch(new Request(request, { headers }))
}

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as PATCH, handle as POST, handle as PUT }
