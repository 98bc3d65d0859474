import { Agent } from '@agentkit/core'
import { anthropic } from '@agentkit/providers-anthropic'
import { fakeProvider } from '@agentkit/testing'

// A server on 127.0.0.1 with Anthropic's API, which validates requests like the real one and answers from a script.
await using server = await fakeProvider('anthropic', [
  { status: 529 }, // overloaded
  { text: 'Half of an ans', fault: 'cut' },
  {
    reasoning: 'Let me think.',
    text: 'It is sunny.',
    usage: { inputTokens: 100, cachedInputTokens: 80, outputTokens: 9 },
  },
])

const model = anthropic({ baseURL: server.url, apiKey: 'test' }).model('claude-sonnet-5')
const agent = new Agent({ name: 'Guide', functions: [], model, retry: { firstWaitMs: 1 } })

console.log(await agent.chat('How is the weather?')) // It is sunny.
console.log(server.requests.length, server.requests[0]?.body.messages)
