// app/agent/[[...path]]/route.ts
import { Hono } from 'hono'
import { agentApp } from './agent-app.ts'

const app = new Hono().mount('/agent', agentApp.fetch)
const handle = (request: Request): Response | Promise<Response> => {
  // By its address and parts: Next passes a proxy, of which `Request` makes no copy.
  const copy = new Request(request.url, request)
  // Next compresses answers itself, and removes the header of those that are compressed.
  copy.headers.delete('accept-encoding')
  return app.fetch(copy)
}

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as PATCH, handle as POST, handle as PUT }
