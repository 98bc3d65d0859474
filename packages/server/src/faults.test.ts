import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeAgent, text } from './__fixtures__/fake-agent.ts'
import { chatRequest, expectHealthy, until } from './__fixtures__/requests.ts'
import { freePort, startServer } from './__fixtures__/server-process.ts'
import { ask, storedAgents } from './__fixtures__/stored-agent.ts'
import { serve } from './serve.ts'

const providers = 'packages/agentkit/src/serve/provider-faults.test.ts'
const tools = 'packages/server/src/tool-faults.test.ts'
const stores = 'packages/server/src/store-faults.test.ts'
const here = 'packages/server/src/faults.test.ts'

/** Each fault of a served agent, and the files whose tests are named with its number. */
const faults: [number: string, fault: string, files: string[]][] = [
  ['F1', 'a provider with 429 and Retry-After', [providers]],
  ['F2', 'a provider with 429 without end', [providers]],
  ['F3', 'a provider with 500 twice, then an answer', [providers]],
  ['F4', 'an overloaded provider with a fallback', [providers]],
  ['F5', 'a provider that accepts, then hangs', [providers]],
  ['F6', 'a provider that refuses connections, has no name or no TLS', [providers]],
  ['F7', 'a stream that is cut within a token', [providers]],
  ['F8', 'a stream without [DONE]', [providers]],
  ['F9', 'a chunk that is not JSON', [providers]],
  ['F10', 'chunks of one byte, split characters, CRLF', [providers]],
  ['F11', '200 with a web page', [providers]],
  ['F12', 'slow tokens', [providers]],
  ['F13', 'a tool that throws or rejects', [tools]],
  ['F14', 'a tool that hangs', [tools]],
  ['F15', 'a tool that returns what cannot be sent', [tools]],
  ['F16', 'unknown tools, invalid arguments, 100 calls at once, calls without end', [tools]],
  ['F17', 'a disk without room', [stores, 'packages/server/src/answer/disk-full.test.ts']],
  ['F18', 'a locked store', [stores]],
  [
    'F19',
    'a store that is deleted, damaged or read-only',
    [stores, 'packages/sessions/src/sqlite/sqlite-run-faults.test.ts'],
  ],
  ['F21', 'kill -9 within a stream', ['packages/server/src/durable-runs.test.ts']],
  [
    'F22',
    'kill -9 between the effect of a tool and its result',
    ['packages/server/src/durable-runs.test.ts', 'packages/server/src/durable-swarms.test.ts'],
  ],
  ['F23', 'a client that leaves', [providers, 'packages/server/src/serve.test.ts']],
  ['F24', 'a client that does not read', ['packages/server/src/serve.test.ts']],
  ['F25', 'many streams that begin and end', [here]],
  ['F26', 'a clock that jumps', [here, 'packages/sessions/src/sqlite/sqlite-sessions.test.ts']],
  ['F27', 'SIGTERM under load', [here]],
  ['F29', 'a rejection in a tool that is not handled', ['packages/server/src/handle-signals.test.ts']],
  ['F30', 'a tool that blocks the process', ['packages/server/src/handle-signals.test.ts']],
]

describe('each fault has a test', () => {
  it.each(faults)('%s: %s', (number, _fault, files) => {
    for (const file of files) {
      const source = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')
      expect(source, file).toMatch(new RegExp(`['"\`](?:F\\d+, )*${number}[ ,]`))
    }
  })
})

const closers: (() => unknown)[] = []
const storedAgent = storedAgents()
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).reverse()) await close()
})

it('F25 100 streams that begin and are left, ten times over, leave nothing', async () => {
  const agent = fakeAgent(() => [text('Hi'), 'hang'])
  const server = await serve(agent, { port: 0, log: () => {}, limits: { runs: 128 } })
  closers.push(server.close)
  const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const before = sockets()
  for (let round = 1; round <= 10; round++) {
    const leaving = new AbortController()
    const streams = Array.from({ length: 100 }, async () => {
      const response = await fetch(`${server.url}/api/v1/chat_stream`, { ...chatRequest(), signal: leaving.signal })
      await response.body?.getReader().read()
    })
    await Promise.all(streams)
    leaving.abort()
    await until(() => agent.calls.length === 100 * round && agent.calls.every(({ ended }) => ended))
  }
  await until(() => sockets() <= before)
  await expectHealthy(server.url)
})

it.each([1, -1])('F26 a clock that jumps by %i hour ends no run', async (hours) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const { promise: gate, resolve: open } = Promise.withResolvers<string>()
  let begun = 0
  const { agent } = storedAgent([
    () => {
      begun++
      return gate
    },
    'Fine.',
  ])
  const server = await serve(agent, { port: 0, log: () => {} })
  closers.push(server.close)
  const answer = fetch(`${server.url}/api/v1/chat_stream`, ask('Wait', { resumable: 'true' }))
  await until(() => begun === 1)
  vi.setSystemTime(Date.now() + hours * 3_600_000)
  // Another request looks for dead runs.
  expect((await fetch(`${server.url}/api/v1/runs?user_id=ada`)).status).toBe(200)
  open('Done.')
  expect(await (await answer).text()).toContain('"finishReason":"stop","text":"Done."')
  expect(await (await fetch(`${server.url}/api/v1/chat`, ask('And now?'))).text()).toBe('Fine.')
})

it('F27 SIGTERM under load cuts no answer off, and loses no message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-drain-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const { url, child, exit } = await startServer(folder, port, 2)
  closers.push(() => child.kill('SIGKILL'))
  let answered = 0
  let refused = 0
  const cutOff: unknown[] = []
  /** Asks one question after the other until the server refuses. */
  const client = async (sessionId: string): Promise<void> => {
    for (;;) {
      const request = ask('count 3', { session_id: sessionId }, { connection: 'close' })
      const response = await fetch(`${url}/api/v1/chat`, request).catch(() => undefined)
      // No more connections are accepted.
      if (response === undefined) return
      const body = await response.text().catch((error: unknown) => void cutOff.push(error))
      if (response.status !== 200) return void refused++
      if (body !== undefined) answered++
    }
  }
  const clients = Array.from({ length: 8 }, (_, index) => client(`s${index}`))
  await until(() => answered > 20)
  child.kill('SIGTERM')
  await Promise.all(clients)
  expect(await exit).toEqual([0, null])
  expect(cutOff).toEqual([])
  // Each run that began was answered: the tool is called once in each.
  const effects = readFileSync(join(folder, 'effects'), 'utf8')
  expect(effects.match(/^begin /gm)).toHaveLength(answered)

  const next = await startServer(folder, port, 0)
  closers.push(() => next.child.kill('SIGKILL'))
  const chats: Record<string, unknown[]> = await (await fetch(`${next.url}/api/v1/all_chats?user_id=ada`)).json()
  const questions = Object.values(chats).reduce((sum, messages) => sum + messages.length / 2, 0)
  expect(questions).toBeGreaterThanOrEqual(answered)
  expect(refused).toBeLessThanOrEqual(8)
})
