import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { agentApp } from './agent-app.ts'

const app = new Hono()
app.get('/', (context) => context.text('The shop'))
app.mount('/agent', agentApp.fetch)

const port = Number(process.env.PORT ?? 8000)
export const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1', overrideGlobalObjects: false })
