import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { agentApp } from './agent-app.ts'

const app = express()
// Before `express.json()` and other parsers: the agent reads the body itself.
app.use('/agent', getRequestListener(agentApp.fetch, { overrideGlobalObjects: false }))
app.get('/', (_request, response) => void response.send('The shop'))

export const server = app.listen(Number(process.env.PORT ?? 8000), '127.0.0.1')
