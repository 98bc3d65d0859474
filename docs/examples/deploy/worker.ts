import { env } from 'cloudflare:workers'
import { Agent } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { createApp } from '@agentkit/server'

const provider = openai({ apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL, transport: 'fetch' })
const agent = new Agent({
  name: 'Clerk',
  instruction: 'You answer questions about the shop.',
  functions: [],
  model: provider.model('gpt-6-luna'),
})
const agentApp = createApp(agent, {
  host: '0.0.0.0',
  // A Worker notices that a client has left when it sends the next bytes.
  limits: { heartbeatMs: 2_000 },
  auth: { tokens: { [env.AGENT_TOKEN]: '*' } },
})

export default {
  fetch: (request: Request) => agentApp.fetch(request),
}
