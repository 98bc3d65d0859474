import OpenAI from 'openai'
import type { ChatCompletionMessageFunctionToolCall, ChatCompletionMessageParam } from 'openai/resources'
import { type Contestant, systemPrompt } from '../contestant.ts'

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'echo',
      description: 'Gives the text back.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  },
]

/** The baseline, written by hand: the official SDK and a loop. */
export function setup(baseURL: string): Contestant {
  const client = new OpenAI({ baseURL, apiKey: 'test', maxRetries: 0 })
  const sessions = new Map<string, ChatCompletionMessageParam[]>()
  return {
    construct() {},
    async run(model, prompt, session, onDelta) {
      const messages = sessions.get(session ?? '') ?? [{ role: 'system', content: systemPrompt }]
      if (session) sessions.set(session, messages)
      messages.push({ role: 'user', content: prompt })
      for (let toolCalls = 0; ; ) {
        const stream = await client.chat.completions.create({
          model,
          messages,
          tools,
          stream: true,
          stream_options: { include_usage: true },
        })
        let content = ''
        const calls: ChatCompletionMessageFunctionToolCall[] = []
        for await (const { choices } of stream) {
          const delta = choices[0]?.delta
          if (delta?.content) {
            content += delta.content
            onDelta?.(delta.content)
          }
          for (const part of delta?.tool_calls ?? []) {
            const name = part.function?.name ?? ''
            const call = calls[part.index] ?? { id: part.id ?? '', type: 'function', function: { name, arguments: '' } }
            call.function.arguments += part.function?.arguments ?? ''
            calls[part.index] = call
          }
        }
        messages.push({ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) })
        if (calls.length === 0) return { text: content, toolCalls }
        for (const call of calls) {
          const { text } = JSON.parse(call.function.arguments) as { text: string }
          messages.push({ role: 'tool', tool_call_id: call.id, content: text })
        }
        toolCalls += calls.length
      }
    },
  }
}
