import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, percentile } from './figures.ts'
import { type Child, pinToCore, startChild } from './processes.ts'
import { ask, post, responseOf, send } from './server-client.ts'

type Measured = { heapMb: number; rssMb: number; abortedAt: number[] }

/** A secret of `figures-server.ts` that no client may receive. */
const canary = 'canary-7f3a91c2'

/**
 * The figures of the server, each in a process of its own.
 * @param names measures only these: `chats`, `openStreams`, …
 */
export async function serverFigures(names: readonly string[] = []): Promise<Figure[]> {
  const { execArgv } = process
  const measures = [chats, openStreams, upload, pausedReaders, disconnects, sigterm, secrets]
  const figures: Figure[] = []
  for (const measure of measures.filter(({ name }) => names.length === 0 || names.includes(name))) {
    process.stderr.write(`server: ${measure.name} …\n`)
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-figures-'))
    process.execArgv = [...execArgv, '--expose-gc', ...(measure === pausedReaders ? [smallHeap] : [])]
    const server = await startChild('./figures-server.ts', folder, canary)
    const { port } = server.first as { port: number } // what it sends when it listens
    figures.push(...(await measure({ server, port, folder })))
    server.stop()
    await server.ended
    rmSync(folder, { recursive: true, force: true })
  }
  process.execArgv = execArgv
  return figures
}

/** V8 would grow its heap for short-lived objects by more than what is measured. */
const smallHeap = '--max-semi-space-size=4'

type Target = { server: Child; port: number; folder: string }

/** T1: the time that the server adds to a model that answers immediately. */
async function chats({ port, server }: Target): Promise<Figure[]> {
  // The server has one core for itself: the clients take as much time as it does.
  pinToCore(server.pid, 0)
  const unpin = pinToCore(process.pid, 1)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const run = async (clients: number, forMs: number): Promise<{ times: number[]; perSecond: number }> => {
    const times: number[] = []
    const startedAt = performance.now()
    const client = async (): Promise<void> => {
      while (performance.now() - startedAt < forMs) {
        const before = performance.now()
        const { status } = await ask(port, 'instant', { agent })
        if (status !== 200) throw new Error(`A chat was answered with ${status}.`)
        times.push(performance.now() - before)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    return { times, perSecond: times.length / ((performance.now() - startedAt) / 1000) }
  }
  // V8's first full collection drops code that it then compiles again, for half a second.
  await run(16, 8_000)
  const alone = await run(1, 3_000)
  const together = await run(16, 5_000)
  agent.destroy()
  unpin()
  return [
    {
      name: 'T1 chat with an instant model and SQLite, p50',
      value: percentile(alone.times, 50),
      unit: 'ms',
      goal: 1.5,
    },
    { name: 'T1 the same by 16 clients, p99', value: percentile(together.times, 99), unit: 'ms', goal: 15 },
    { name: 'T1 chats in a second', value: together.perSecond, unit: '', goal: 1_000, least: true },
  ]
}

/** T2: 1,000 streams at once, of 5 events a second each. */
async function openStreams({ port, server }: Target): Promise<Figure[]> {
  const count = 1_000
  // Warms up the server: V8 compiles the code, and grows its heap for short-lived objects to its full size.
  for (let round = 0; round < 400; round++) await Promise.all(Array.from({ length: 32 }, () => ask(port, 'events 5 1')))
  const idle = await server.ask<Measured>('measure')
  const delays: number[] = []
  const calls: ClientRequest[] = []
  let open = 0
  for (let index = 0; index < count; index++) {
    const call = post(port, 'events 1000 200', { accept: 'text/event-stream' })
    calls.push(call)
    call.on('response', (response: IncomingMessage) => {
      open++
      response.setEncoding('utf8').on('data', (text: string) => {
        for (const [, at] of text.matchAll(/ at=([\d.]+) /g)) delays.push(now() - Number(at))
      })
      response.on('error', () => {})
      response.on('close', () => open--)
    })
    call.on('error', () => {})
    if (index % 50 === 49) await sleep(20)
  }
  while (open < count) await sleep(20)
  await sleep(1_000)
  delays.length = 0
  await sleep(5_000)
  const delivered = [...delays]
  const full = await server.ask<Measured>('measure')
  for (const call of calls) call.destroy()
  while (open > 0) await sleep(20)
  let left = await server.ask<Measured>('measure')
  let aborted = left.abortedAt.length
  for (let tries = 0; aborted < count && tries < 50; tries++) {
    await sleep(100)
    left = await server.ask<Measured>('measure')
    aborted += left.abortedAt.length
  }
  // Aborted runs are stored before their memory is released.
  await sleep(2_000)
  left = await server.ask<Measured>('measure')
  return [
    {
      name: 'T2 RSS of each of 1,000 streams',
      value: ((full.rssMb - idle.rssMb) * 1024) / count,
      unit: 'KiB',
      goal: 70,
    },
    {
      name: 'T2 heap of each of 1,000 streams',
      value: ((full.heapMb - idle.heapMb) * 1024) / count,
      unit: 'KiB',
      goal: 70,
    },
    { name: 'T2 delivery of an event, p99', value: percentile(delivered, 99), unit: 'ms', goal: 50 },
    { name: 'T2 runs left after the clients have', value: count - aborted, unit: '', goal: 0 },
    { name: 'T2 heap left after the clients have', value: left.heapMb - idle.heapMb, unit: 'MB', goal: 5 },
  ]
}

/** T3: the memory of an upload of 200 MB. */
async function upload({ port, server, folder }: Target): Promise<Figure[]> {
  const path = join(folder, 'large.txt')
  writeFileSync(path, Buffer.alloc(200e6, 'Lorem ipsum dolor sit amet. '))
  await send(port, path, 'first.txt', 1_000_000)
  const { rssMb } = await server.ask<Measured>('measure')
  const sampled = sampleRss(server)
  const status = await send(port, path, 'large.txt')
  const peak = sampled.stop()
  if (status !== 200) throw new Error(`The upload was answered with ${status}.`)
  return [{ name: 'T3 RSS of an upload of 200 MB', value: peak - rssMb, unit: 'MB', goal: 60 }]
}

/** T4: the memory that the server holds for clients that do not read an endless answer. */
async function pausedReaders({ port, server }: Target): Promise<Figure[]> {
  const count = 40
  const hold = async (): Promise<Measured> => {
    const calls = Array.from({ length: count }, () => post(port, 'flood', { accept: 'text/event-stream' }))
    await Promise.all(calls.map(async (call) => (await responseOf(call)).pause()))
    await sleep(3_000)
    const held = await server.ask<Measured>('measure')
    for (const call of calls) call.on('error', () => {}).destroy()
    await sleep(2_000)
    return held
  }
  // The memory that V8 and malloc keep after the first burst of events does not belong to the readers: it stays after
  // they have left, and the next readers use it.
  await hold()
  const idle = await server.ask<Measured>('measure')
  const held = await hold()
  return [
    { name: 'T4 RSS of each reader that has paused', value: (held.rssMb - idle.rssMb) / count, unit: 'MB', goal: 4 },
    { name: 'T4 heap of each reader that has paused', value: (held.heapMb - idle.heapMb) / count, unit: 'MB', goal: 4 },
  ]
}

/** T5: how long a model continues for a client that has disconnected. */
async function disconnects({ port, server }: Target): Promise<Figure[]> {
  const delays: number[] = []
  for (let index = 0; index < 200; index++) {
    const call = post(port, 'wait', { accept: 'text/event-stream' })
    const response = await responseOf(call)
    response.on('error', () => {})
    await once(response, 'data')
    const leftAt = now()
    call.on('error', () => {}).destroy()
    let measured = await server.ask<Measured>('measure')
    while (measured.abortedAt.length === 0) measured = await server.ask<Measured>('measure')
    delays.push((measured.abortedAt[0] ?? Number.NaN) - leftAt)
  }
  return [
    {
      name: 'T5 from a disconnect to the abort of the model, p99',
      value: percentile(delays, 99),
      unit: 'ms',
      goal: 100,
    },
  ]
}

/** T9: SIGTERM under 200 chats a second: the server answers every request that it has begun. */
async function sigterm({ port, server, folder }: Target): Promise<Figure[]> {
  const agent = new Agent({ keepAlive: true })
  const pending = new Set<Promise<void>>()
  const failed: number[] = []
  let sent = 0
  let stopped = false
  const load = async (): Promise<void> => {
    while (!stopped) {
      const id = sent++
      const chat = ask(port, `events ${id % 6} 100 ${id}`, { agent })
      const one = chat.then(
        ({ status }) => void (status === 200 || status === 503 || failed.push(id)),
        () => void failed.push(id),
      )
      pending.add(one)
      void one.finally(() => pending.delete(one))
      await sleep(5)
    }
  }
  const loading = load()
  await sleep(2_000)
  const at = performance.now()
  process.kill(server.pid ?? 0, 'SIGTERM')
  await server.ended
  const tookMs = performance.now() - at
  stopped = true
  await loading
  await Promise.all(pending)
  agent.destroy()
  // Other requests were never read: their connection was closed before, so their client tries again.
  const begun = new Set(readFileSync(join(folder, 'started'), 'utf8').split('\n').map(Number))
  const cut = failed.filter((id) => begun.has(id)).length
  return [
    { name: 'T9 chats cut off by SIGTERM under 200 a second', value: cut, unit: '', goal: 0 },
    { name: 'T9 from SIGTERM to the exit', value: tookMs / 1000, unit: 's', goal: 25 },
  ]
}

/** T15: a secret in the instruction and in the error of a tool. */
async function secrets({ port }: Target): Promise<Figure[]> {
  const answers: string[] = []
  for (const accept of ['text/plain', 'application/json', 'text/event-stream']) {
    const { body } = await ask(port, 'tool', { accept })
    if (!body.includes('Hello.')) throw new Error(`A chat was answered with ${body}`)
    answers.push(body)
  }
  for (const path of ['/api/v1/info', '/openapi.json', '/api/v1/all_chats?user_id=bench']) {
    answers.push(await (await fetch(`http://127.0.0.1:${port}${path}`)).text())
  }
  const found = answers.filter((answer) => answer.includes(canary)).length
  return [{ name: 'T15 answers that hold a secret', value: found, unit: '', goal: 0 }]
}

/** The highest RSS of a process from now on, in MB. Linux only. */
function sampleRss({ pid }: Child): { stop(): number } {
  let peak = 0
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    peak = Math.max(peak, Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024)
  }, 5)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
