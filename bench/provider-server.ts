import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FakeWire, fakeProvider } from '@agentkit/testing'

/**
 * A provider's server: records the fake server's response to a request, and replays it to each request for as many tokens.
 * The last word of the question is the number of tokens.
 */
const [wire = ''] = process.argv.slice(2)
const tokensOf = (text: string): number => Number(/Say (\d+) tokens/.exec(text)?.[1] ?? 1)
// The cast holds: the argument is a wire of the table of providers.
const fake = await fakeProvider(wire as FakeWire, ({ body }) => {
  const tokens = tokensOf(JSON.stringify(body))
  return { text: Array.from({ length: tokens }, (_, index) => ` tok${index % 10}`).join(''), deltas: tokens }
})
const base = new URL(fake.url)
const answers = new Map<number, Promise<{ status: number; contentType: string; bytes: Buffer }>>()

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', async () => {
    const text = Buffer.concat(parts).toString()
    const tokens = tokensOf(text)
    const answer = answers.get(tokens) ?? ask(request.url ?? '', request.headers as Record<string, string>, text)
    answers.set(tokens, answer)
    const { status, contentType, bytes } = await answer
    response.writeHead(status, { 'content-type': contentType })
    if (!text.includes('one by one')) return void response.end(bytes)
    // One write for each token, as a model sends them.
    const end = contentType.includes('event-stream') ? /(?<=\n\n|\n\r\n)/ : /(?<=\n)/
    for (const piece of bytes.toString().split(end)) {
      response.write(piece)
      await sleep(1)
    }
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.send?.({ url: `http://127.0.0.1:${port}${base.pathname.replace(/\/$/, '')}` })
})

async function ask(
  path: string,
  { host, 'content-length': _, connection, ...headers }: Record<string, string>,
  body: string,
) {
  void host
  void connection
  const response = await fetch(new URL(path, base.origin), { method: 'POST', headers, body })
  const contentType = response.headers.get('content-type') ?? ''
  return { status: response.status, contentType, bytes: Buffer.from(await response.arrayBuffer()) }
}
