import { agentApp } from './agent-app.ts'

// deno serve --allow-env --allow-net --allow-read --allow-sys --allow-write=agentkit-data --host=127.0.0.1 --port=8000 deno.ts
export default {
  fetch: (request: Request) => agentApp.fetch(request),
}
