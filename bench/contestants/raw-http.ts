import { Agent, type IncomingMessage, request } from 'node:http'
import { type Contestant, echoTool, type Prompt, systemPrompt } from '../contestant.ts'

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } }
type Answer = { role: 'assistant'; content: string; tool_calls?: Call[] }
type Delta = { content?: string; tool_calls?: (Partial<Call> & { index: number })[] }

/** The floor: the same loop on `node:http`, without an SDK, a check, a timer or a retry. */
export function setup(baseURL: string): Contestant {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const sessions = new Map<string, object[]>()
  const post = (body: object): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(JSON.stringify(body))
      const headers = { 'content-type': 'application/json', authorization: 'Bearer test' }
      const call = request(`${baseURL}/chat/completions`, {
        ...{ method: 'POST', agent },
        headers: { ...headers, 'content-length': bytes.byteLength },
      })
      call.on('response', (response) => resolve(response.setEncoding('utf8')))
      call.on('error', reject)
      call.end(bytes)
    })
  return {
    construct() {},
    async run({ model, prompt, session, plain, history = [], onDelta }: Prompt) {
      const messages = sessions.get(session ?? '') ?? [{ role: 'system', content: systemPrompt }, ...history]
      if (session) sessions.set(session, messages)
      messages.push({ role: 'user', content: prompt })
      const streaming = plain ? {} : { stream: true, stream_options: { include_usage: true } }
      for (let toolCalls = 0; ; ) {
        const response = await post({ model, messages, tools: [echoTool], ...streaming })
        const answer = plain ? await readWhole(response) : await readStream(response, onDelta)
        messages.push(answer)
        const { content, tool_calls: calls = [] } = answer
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

function readWhole(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let body = ''
    response.on('data', (text: string) => {
      body += text
    })
    response.on('end', () => resolve(JSON.parse(body).choices[0].message))
    response.on('error', reject)
  })
}

function readStream(response: IncomingMessage, onDelta: Prompt['onDelta']): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answer: Answer = { role: 'assistant', content: '' }
    let rest = ''
    response.on('data', (text: string) => {
      rest += text
      let start = 0
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
        const line = rest.slice(start, end)
        start = end + 1
        if (line.startsWith('data: ') && line !== 'data: [DONE]') {
          add(JSON.parse(line.slice(6)).choices[0]?.delta, answer, onDelta)
        }
      }
      rest = rest.slice(start)
    })
    response.on('end', () => resolve(answer))
    response.on('error', reject)
  })
}

function add(delta: Delta | undefined, answer: Answer, onDelta: Prompt['onDelta']): void {
  if (delta?.content) {
    answer.content += delta.content
    onDelta?.(delta.content)
  }
  for (const { index, id = '', function: called } of delta?.tool_calls ?? []) {
    answer.tool_calls ??= []
    answer.tool_calls[index] ??= { id, type: 'function', function: { name: called?.name ?? '', arguments: '' } }
    answer.tool_calls[index].function.arguments += called?.arguments ?? ''
  }
}
