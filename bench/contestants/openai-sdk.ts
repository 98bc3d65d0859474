import OpenAI from 'openai'
import type { ChatCompletionMessageFunctionToolCall, ChatCompletionMessageParam } from 'openai/resources'
import { type Contestant, echoTool, type Prompt, systemPrompt } from '../contestant.ts'

type Call = ChatCompletionMessageFunctionToolCall

/** The baseline, written by hand: the official SDK and a loop. */
export function setup(baseURL: string): Contestant {
  const client = new OpenAI({ baseURL, apiKey: 'test', maxRetries: 0 })
  const sessions = new Map<string, ChatCompletionMessageParam[]>()
  const ask = async (body: { model: string; messages: ChatCompletionMessageParam[] }, prompt: Prompt) => {
    if (prompt.plain) {
      const { choices } = await client.chat.completions.create({ ...body, tools: [echoTool] })
      const { content, tool_calls = [] } = choices[0]?.message ?? {}
      return { content: content ?? '', calls: tool_calls as Call[] }
    }
    const stream = await client.chat.completions.create({
      ...{ ...body, tools: [echoTool] },
      stream: true,
      stream_options: { include_usage: true },
    })
    let content = ''
    const calls: Call[] = []
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta
      if (delta?.content) {
        content += delta.content
        prompt.onDelta?.(delta.content)
      }
      for (const part of delta?.tool_calls ?? []) {
        const name = part.function?.name ?? ''
        const call = calls[part.index] ?? { id: part.id ?? '', type: 'function', function: { name, arguments: '' } }
        call.function.arguments += part.function?.arguments ?? ''
        calls[part.index] = call
      }
    }
    return { content, calls }
  }
  return {
    construct() {},
    async run(prompt) {
      const { model, session = '', history = [] } = prompt
      const system = { role: 'system', content: systemPrompt } as const
      const messages: ChatCompletionMessageParam[] = sessions.get(session) ?? [system, ...history]
      if (session) sessions.set(session, messages)
      messages.push({ role: 'user', content: prompt.prompt })
      for (let toolCalls = 0; ; ) {
        const { content, calls } = await ask({ model, messages }, prompt)
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
