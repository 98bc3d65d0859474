import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** A chat server over HTTP: agentkit's own, or Hono with the SDK loop, as written by hand. */
const [flavour = '', baseURL = ''] = process.argv.slice(2)
const model = 'work-1-50'

const app = flavour === 'agentkit' ? await agentkitApp() : await handWrittenApp()
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }, (address) => {
  process.send?.(address)
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 })
})

async function agentkitApp(): Promise<Hono> {
  const { createApp } = await import('@agentkit/server')
  const { openai } = await import('@agentkit/providers-openai')
  const { buildAgent } = await import('./contestants/agentkit.ts')
  return createApp(buildAgent(openai({ baseURL, apiKey: 'test' }), model))
}

async function handWrittenApp(): Promise<Hono> {
  const { setup } = await import('./contestants/openai-sdk.ts')
  const contestant = setup(baseURL)
  const hono = new Hono()
  const encoder = new TextEncoder()
  hono.post('/api/v1/chat', async (context) => {
    const form = await context.req.formData()
    const { messages } = JSON.parse(String(form.get('chat_data')))
    let left = false
    const body = new ReadableStream({
      async start(controller) {
        await contestant.run({
          model,
          prompt: messages.at(-1).content,
          onDelta(text) {
            if (!left) controller.enqueue(encoder.encode(`data: ${JSON.stringify({ type: 'text-delta', text })}\n\n`))
          },
        })
        if (!left) controller.close()
      },
      cancel() {
        left = true
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  return hono
}
