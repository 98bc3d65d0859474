import { Agent, request } from 'node:http'
import type { Call } from '../provider-calls.ts'

/**
 * The minimal cost of a streamed call of any provider: each event is parsed, and nothing else is done. The server sends
 * the same answer as to the SDK.
 */
export function rawCall(url: string): Call {
  const agent = new Agent({ keepAlive: true })
  return (question) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(JSON.stringify({ question }))
      const headers = { 'content-type': 'application/json', 'content-length': bytes.byteLength }
      const call = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        let rest = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          rest += piece
          let start = 0
          for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
            const line = rest.slice(start, end)
            start = end + 1
            const json = line.startsWith('data: ') ? line.slice(6) : line
            if (json.startsWith('{')) text += deltaOf(JSON.parse(json))
          }
          rest = rest.slice(start)
        })
        response.on('end', () => resolve(text))
        response.on('error', reject)
      })
      call.on('error', reject)
      call.end(bytes)
    })
}

/** The fields in which the wires have a piece of text. */
type Event = {
  type?: string
  delta?: string | { text?: string }
  choices?: { delta?: { content?: string | null } }[]
  candidates?: { content?: { parts?: { text?: string }[] } }[]
  message?: { content?: string }
}

function deltaOf({ type, delta, choices, candidates, message }: Event): string {
  if (choices) return choices[0]?.delta?.content ?? ''
  if (candidates) return candidates[0]?.content?.parts?.[0]?.text ?? ''
  if (typeof delta === 'string') return type === 'response.output_text.delta' ? delta : ''
  if (type === undefined) return message?.content ?? ''
  return delta?.text ?? ''
}
