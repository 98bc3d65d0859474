import { Agent } from '@agentkit/core'
import { serve } from '@agentkit/server'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { ask } from './openai-client.ts'

it('asks an agent as if it were a model of OpenAI, in a session', async () => {
  const model = scriptedModel(['Bees like lavender.', 'Thyme too.'])
  const server = await serve(new Agent({ name: 'Helper', functions: [], model }), { port: 0 })
  try {
    expect(await ask('What do bees like?', server.url)).toBe('Bees like lavender.')
    expect(await ask('What else?', server.url)).toBe('Thyme too.')
    expect(model.requests[1]?.messages).toHaveLength(3)
  } finally {
    await server.close()
  }
})
