import { createApp } from '@agentkit/server'
import { agent } from '../../../../agent.ts'

// Next marks each request as passed on (`X-Forwarded-For`), and this app has no tokens: only local hosts are answered.
const app = createApp(agent, { dialects: ['ui'], allowUnauthenticated: true })
const handle = (request: Request): Response | Promise<Response> => app.fetch(request)

export { handle as GET, handle as POST }
