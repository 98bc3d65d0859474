import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './processes.ts'

/**
 * Mixed load on a server for some minutes: `node bench/soak.ts <minutes>`, 15 when absent. Twelve clients send chats as text,
 * JSON and event streams, some of which leave, and forms that are broken or never completed; they continue resumable runs,
 * upload files, and read conversations and runs. It prints the server's memory, event-loop delay and descriptors four times a
 * minute, and the slope of the memory at the end. V8 may not choose the size of its heap: it lets that grow for some ten
 * minutes while nothing is held, which would hide a slope.
 */
type Sample = { heapMb: number; rssMb: number; delayP99Ms: number; delayMaxMs: number; rejections: number }

const minutes = Number(process.argv[2] ?? 15)
const folder = mkdtempSync(join(tmpdir(), 'agentkit-soak-'))
process.env.NODE_OPTIONS = ''
process.execArgv.push('--expose-gc', '--max-semi-space-size=4', '--max-old-space-size=128')
const server = await startChild('./soak-server.ts', folder)
const { port } = server.first as { port: number }
const url = `http://127.0.0.1:${port}/api/v1`
const until = performance.now() + minutes * 60_000
const counts = new Map<string, number>()
const samples: { minute: number; rssMb: number }[] = []
const agent = new Agent({ keepAlive: true, maxSockets: 32 })

const others = [resumed, uploaded, history, listed]
const clients = Array.from({ length: 12 }, (_, index) => client(index))
const columns = ['minute', 'heap MB', 'RSS MB', 'delay p99', 'delay max', 'descriptors', 'rejections', 'answers']
console.log(columns.join('\t'))
while (performance.now() < until) {
  await sleep(Math.min(15_000, Math.max(0, until - performance.now())))
  const minute = minutes - (until - performance.now()) / 60_000
  const { heapMb, rssMb, delayP99Ms, delayMaxMs, rejections } = await server.ask<Sample>('measure')
  samples.push({ minute, rssMb })
  const figures = [minute, heapMb, rssMb, delayP99Ms, delayMaxMs].map((figure) => figure.toFixed(1))
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.log([...figures, descriptors(), rejections, all].join('\t'))
}
await Promise.all(clients)
agent.destroy()
server.stop()
await server.ended
rmSync(folder, { recursive: true })
// After the first three minutes: caches and pools are full by then.
console.log(`RSS rises by ${(10 * slope(samples.filter(({ minute }) => minute > 3))).toFixed(2)} MB in 10 minutes.`)
console.log([...counts].map(([answer, count]) => `${answer}: ${count}`).join(', '))

async function client(index: number): Promise<void> {
  for (let turn = 0; performance.now() < until; turn++) {
    const kind = (index + turn) % 16
    // Conversations begin, grow and end.
    const session = `session-${index}-${Math.floor(turn / 20)}`
    const asked = kind < 12 ? chat(kind, session) : (others[kind - 12] ?? history)(session)
    const answer = await asked.catch((error: Error & { code?: string }) => error.code ?? error.message)
    counts.set(answer, (counts.get(answer) ?? 0) + 1)
    await sleep(Math.random() * 80)
  }
}

/** Leaves the stream of a resumable run, and reads the rest of its events. */
async function resumed(session: string): Promise<string> {
  const body = {
    user_id: 'soak',
    session_id: session,
    messages: [{ role: 'user', content: 'What is 2 + 3?' }],
    resumable: true,
  }
  const headers = { 'content-type': 'application/json' }
  const first = await fetch(`${url}/chat_stream`, { method: 'POST', headers, body: JSON.stringify(body) })
  await first.body?.cancel()
  if (first.status !== 200) return `resumable ${first.status}`
  const rest = await fetch(`${url}/runs/${first.headers.get('x-run-id')}/events?user_id=soak`)
  const text = await rest.text()
  return `resumed ${rest.status}${rest.status === 200 && !text.includes('run-end') ? ' without its end' : ''}`
}

async function uploaded(session: string): Promise<string> {
  const body = new FormData()
  body.set('user_id', 'soak')
  body.set('files', new File(['Lorem ipsum. '.repeat(10_000)], `${session}.txt`))
  const upload = await fetch(`${url}/uploadfiles/`, { method: 'POST', body })
  await upload.text()
  const removal = await fetch(`${url}/files/${session}.txt?user_id=soak`, { method: 'DELETE' })
  await removal.text()
  return `uploaded ${upload.status}, deleted ${removal.status}`
}

async function history(session: string): Promise<string> {
  const read = await fetch(`${url}/chat_history?user_id=soak&session_id=${session}`)
  await read.text()
  return `history ${read.status}`
}

async function listed(): Promise<string> {
  const [runs, chats] = await Promise.all([fetch(`${url}/runs?user_id=soak`), fetch(`${url}/sessions?user_id=soak`)])
  await Promise.all([runs.text(), chats.text()])
  return `listed ${runs.status}, ${chats.status}`
}

/** Resolves to the status, or to what the client did instead of reading it. */
function chat(kind: number, session: string): Promise<string> {
  const accept = kind < 4 ? 'text/plain' : kind < 7 ? 'application/json' : 'text/event-stream'
  const boundary = 'soak-boundary'
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const question = kind === 9 ? 'not JSON' : '{"messages":[{"role":"user","content":"What is 2 + 3?"}]}'
  const form = `${field('user_id', 'soak')}${field('session_id', session)}${field('chat_data', question)}--${boundary}--\r\n`
  const headers = { accept, 'content-type': `multipart/form-data; boundary=${boundary}` }
  return new Promise((resolve, reject) => {
    const call = request({ port, agent, method: 'POST', path: '/api/v1/chat', headers }, (response) => {
      response.on('error', () => {})
      response.on('data', () => {
        if (kind === 10) leave(call, resolve, 'left in the stream')
      })
      response.on('end', () => resolve(String(response.statusCode)))
    })
    call.on('error', reject)
    if (kind !== 11) return void call.end(form)
    call.setHeader('content-length', form.length)
    call.write(form.slice(0, form.length / 2))
    setTimeout(() => leave(call, resolve, 'left in the request'), 20)
  })
}

function leave(call: ClientRequest, resolve: (answer: string) => void, how: string): void {
  resolve(how)
  call.destroy()
}

function descriptors(): number | string {
  try {
    return readdirSync(`/proc/${server.pid}/fd`).length
  } catch {
    // Linux only.
    return '-'
  }
}

/** The slope of a line through the samples by least squares, in MB per minute. */
function slope(points: readonly { minute: number; rssMb: number }[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map(({ rssMb }) => rssMb))]
  const covariance = mean(points.map(({ minute, rssMb }) => (minute - x) * (rssMb - y)))
  return covariance / mean(points.map(({ minute }) => (minute - x) ** 2))
}
