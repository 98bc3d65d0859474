import { fromAISDK, toAISDK } from '@agentkit/ai-sdk'
import { openai } from '@ai-sdk/openai'
import { Agent, tool } from 'agentkit'
import { convertToModelMessages, streamText, type UIMessage } from 'ai'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'The weather in a city.',
  input: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'rain' }),
})

// Any model of the AI SDK answers for an agent …
export const agent = new Agent({
  name: 'Weather',
  functions: [weather],
  model: fromAISDK(openai('gpt-5.4-mini')),
  sessions: ':memory:',
})

// … and an agent answers where the AI SDK takes a model: here a route for a page on useChat.
export async function POST(request: Request): Promise<Response> {
  const { messages }: { messages: UIMessage[] } = await request.json()
  const result = streamText({
    model: toAISDK(agent, { userId: 'ada' }),
    messages: await convertToModelMessages(messages),
    abortSignal: request.signal,
  })
  return result.toUIMessageStreamResponse({ sendSources: true })
}
