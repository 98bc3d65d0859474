import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'

type Options = { agent?: Agent; accept?: string }

/** Asks the server for a chat, and reads the whole answer. */
export async function ask(
  port: number,
  question: string,
  options: Options = {},
): Promise<{ status: number; body: string }> {
  const response = await responseOf(post(port, question, options))
  let body = ''
  for await (const text of response.setEncoding('utf8')) body += text
  return { status: response.statusCode ?? 0, body }
}

let sessions = 0

/** Begins a chat in a session of its own. */
export function post(port: number, question: string, { agent, accept = 'text/plain' }: Options = {}): ClientRequest {
  const messages = [{ role: 'user', content: question }]
  const body = JSON.stringify({ user_id: 'bench', session_id: `session-${sessions++}`, messages })
  const headers = { accept, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const call = request({ port, method: 'POST', path: '/api/v1/chat', headers, agent: agent ?? false })
  call.end(body)
  return call
}

export async function responseOf(call: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(call, 'response')
  return response as IncomingMessage // of the event
}

/** Uploads a file, or its beginning. Resolves to the status. */
export async function send(port: number, path: string, name: string, bytes?: number): Promise<number> {
  const boundary = 'bench-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const call = request({ port, method: 'POST', path: '/api/v1/uploadfiles/', headers, agent: false })
  call.write(head)
  for await (const chunk of createReadStream(path, bytes === undefined ? {} : { end: bytes - 1 })) {
    if (!call.write(chunk)) await once(call, 'drain')
  }
  call.end(`\r\n--${boundary}--\r\n`)
  const response = await responseOf(call)
  response.resume()
  return response.statusCode ?? 0
}
