import { Agent, AgentKitError, type AssistantPart, type JSONValue, type Model } from 'agentkit'

/** What the server of this example sends: a line of JSON for each piece. */
type Line =
  | { text: string }
  | { call: { id: string; tool: string; input: JSONValue } }
  | { done: { tokensIn: number; tokensOut: number } }

export function houseModel(name: string, url: string): Model {
  return {
    id: `house/${name}`,
    info: { contextWindow: 128_000, maxOutputTokens: 8_000 },
    async *stream({ messages, tools = [], maxOutputTokens }, signal) {
      const body = JSON.stringify({ name, messages, tools, maxOutputTokens })
      const response = await fetch(url, { method: 'POST', body, signal })
      if (!response.ok || !response.body) {
        const { status } = response
        throw new AgentKitError('provider-error', `The house server answered ${status}.`, { status }) // 5xx is retried
      }
      const content: AssistantPart[] = []
      for await (const line of linesOf(response.body)) {
        if ('text' in line) {
          content.push({ type: 'text', text: line.text })
          yield { type: 'text-delta', text: line.text }
        } else if ('call' in line) {
          const { id: callId, tool, input } = line.call
          content.push({ type: 'tool-call', callId, name: tool, input })
          yield { type: 'tool-call', callId, name: tool, input }
        } else {
          const { tokensIn: inputTokens, tokensOut: outputTokens } = line.done
          const reason = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
          const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
          yield { type: 'finish', reason, usage, message: { role: 'assistant', content } } // the last event
          return
        }
      }
    },
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}

export const agent = new Agent({ name: 'Clerk', functions: [], model: houseModel('large', 'http://127.0.0.1:9000') })
