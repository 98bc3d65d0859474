// app/agent/[[...path]]/route.ts
import { Hono } from 'hono'
import { agentApp } from './agent-app.ts'

export const dynamic = 'force-dynamic'

const app = new Hono().mount('/agent', agentApp.fetch)
const handle = (request: Request): Response | Promise<Response> => app.fetch(request)

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as PATCH, handle as POST, handle as PUT }
