import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { killUnderLoad } from './__fixtures__/kill-under-load.ts'
import { until } from './__fixtures__/requests.ts'
import { freePort, type ServerProcess, startServer } from './__fixtures__/server-process.ts'
import { ask, eventsIn, type SentEvent } from './__fixtures__/stored-agent.ts'

const children: ChildProcess[] = []
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-durable-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function start(port: number, delayMs: number): Promise<ServerProcess> {
  const server = await startServer(folder, port, delayMs)
  children.push(server.child)
  return server
}

/** Collects the events of a stream until it ends or breaks. */
function collect(response: Response): { events: SentEvent[]; text(): string; ended: Promise<void> } {
  const events: SentEvent[] = []
  let text = ''
  const read = async (): Promise<void> => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      events.splice(0, events.length, ...eventsIn(text))
    }
  }
  return { events, text: () => text, ended: read().catch(() => {}) }
}

it('F21 continues a resumable run in the next process after kill -9: its stream by Last-Event-ID, its tool not again', async () => {
  const port = await freePort()
  const first = await start(port, 20)
  const stream = await fetch(`${first.url}/api/v1/chat_stream`, ask('count 100', { resumable: 'true' }))
  const runId = stream.headers.get('x-run-id')
  const before = collect(stream)
  await until(() => before.events.filter(({ type }) => type === 'text-delta').length > 5)
  first.child.kill('SIGKILL')
  await Promise.all([first.exit, before.ended])

  const second = await start(port, 1)
  const last = before.events.at(-1)?.id ?? 0
  const path = `/api/v1/runs/${runId}/events?user_id=ada`
  const after = collect(await fetch(second.url + path, { headers: { 'last-event-id': String(last) } }))
  await after.ended
  expect(after.events.at(-1)?.data).toMatchObject({
    type: 'run-end',
    finishReason: 'stop',
    text: expect.stringMatching(/ 100 $/),
  })
  const ids = [...before.events, ...after.events].map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  const restart = after.events.find(({ type }) => type === 'step-restart')
  expect(restart?.data).toMatchObject({ error: { code: 'crashed' } })
  const body = await (await fetch(`${second.url}/api/v1/runs/${runId}?user_id=ada`)).json()
  expect(body).toMatchObject({ status: 'done', attempts: 2 })
  const effects = readFileSync(join(folder, 'effects'), 'utf8').trim().split('\n')
  expect(effects.map((line) => line.split(' ')[0])).toEqual(['begin', 'end'])
})

it('hands a resumable run to the next process at SIGTERM, and ends its stream after a comment', async () => {
  const port = await freePort()
  // A first step that is longer than a busy machine takes to deliver the signal.
  const first = await start(port, 1_000)
  const stream = await fetch(`${first.url}/api/v1/chat_stream`, ask('count 5', { resumable: 'true' }))
  const runId = stream.headers.get('x-run-id')
  const before = collect(stream)
  await until(() => before.events.some(({ type }) => type === 'step-start'))
  first.child.kill('SIGTERM')
  await before.ended
  expect(await first.exit).toEqual([0, null])
  expect(before.text().endsWith(': draining\n\n')).toBe(true)
  expect(before.events.some(({ type }) => type === 'run-end')).toBe(false)

  const second = await start(port, 1)
  const last = before.events.at(-1)?.id ?? 0
  const path = `/api/v1/runs/${runId}/events?user_id=ada&after=${last}`
  const after = collect(await fetch(second.url + path))
  await after.ended
  expect(after.events.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'stop', text: '1 2 3 4 5 ' })
  expect(await (await fetch(`${second.url}/api/v1/runs/${runId}?user_id=ada`)).json()).toMatchObject({
    status: 'done',
    attempts: 2,
  })
  const effects = readFileSync(join(folder, 'effects'), 'utf8').trim().split('\n')
  expect(effects.map((line) => line.split(' ')[0])).toEqual(['begin', 'end'])
  second.child.kill('SIGTERM')
  expect(await second.exit).toEqual([0, null])
})

it('answers a chat with an Idempotency-Key after SIGTERM by the next process, and runs it once', async () => {
  const port = await freePort()
  const first = await start(port, 60)
  const request = ask('count 5', {}, { 'idempotency-key': 'once' })
  const answer = fetch(`${first.url}/api/v1/chat`, request)
  await until(() => existsSync(join(folder, 'effects')))
  first.child.kill('SIGTERM')
  const refused = await answer
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await first.exit).toEqual([0, null])

  const second = await start(port, 1)
  let replayed = await fetch(`${second.url}/api/v1/chat`, request)
  while (replayed.status === 409) replayed = await fetch(`${second.url}/api/v1/chat`, request)
  expect(await replayed.text()).toBe('1 2 3 4 5 ')
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')
  expect(replayed.headers.get('x-run-id')).toBe(refused.headers.get('x-run-id'))
  const effects = readFileSync(join(folder, 'effects'), 'utf8').trim().split('\n')
  expect(effects.map((line) => line.split(' ')[0])).toEqual(['begin', 'end'])
})

it('F21, F22 loses no acknowledged message, repeats no call and leaves no run open, whenever it is killed under load', async () => {
  const seed = Date.now()
  const report = await killUnderLoad(20, seed, 10)
  expect(report, `seed ${seed}`).toMatchObject({ lost: [], open: [], repeated: [], integrity: 'ok' })
  expect(report.acknowledged).toBeGreaterThan(20)
}, 600_000)
