import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai'
import { type Contestant, echoTool, systemPrompt } from '../contestant.ts'

/** A peer: the AI SDK, used as its documentation shows. */
export function setup(baseURL: string): Contestant {
  const provider = createOpenAI({ baseURL, apiKey: 'test' })
  const { description, parameters } = echoTool.function
  const inputSchema = jsonSchema<{ text: string }>(parameters as Parameters<typeof jsonSchema>[0])
  const tools = { echo: tool({ description, inputSchema, execute: async ({ text }) => text }) }
  const sessions = new Map<string, ModelMessage[]>()
  return {
    construct: (model) => void provider.chat(model),
    async run({ model, prompt, session, plain, history = [], onDelta }) {
      const messages: ModelMessage[] = sessions.get(session ?? '') ?? [...history]
      if (session) sessions.set(session, messages)
      messages.push({ role: 'user', content: prompt })
      const options = { model: provider.chat(model), system: systemPrompt, messages, tools, stopWhen: stepCountIs(100) }
      if (plain) {
        const { text, steps, response } = await generateText(options)
        messages.push(...response.messages)
        return { text, toolCalls: steps.flatMap(({ toolCalls }) => toolCalls).length }
      }
      let text = ''
      const result = streamText(options)
      for await (const delta of result.textStream) {
        text += delta
        onDelta?.(delta)
      }
      messages.push(...(await result.response).messages)
      return { text, toolCalls: (await result.steps).flatMap(({ toolCalls }) => toolCalls).length }
    },
  }
}
