import { agentApp } from './agent-app.ts'

// bun bun.ts
export default {
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 8000),
  idleTimeout: 60, // in seconds; the default of 10 is shorter than the 15 between two heartbeats of a stream
  fetch: (request: Request) => agentApp.fetch(request),
}
