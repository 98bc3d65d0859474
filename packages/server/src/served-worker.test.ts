import { AgentKitError, type AgentOptions, type RunRecord } from '@agentkit/core'
import { workOn } from '@agentkit/core/internal'
import type { ScriptedTurn } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { ask, storedAgents } from './__fixtures__/stored-agent.ts'
import type { AgentServer } from './index.ts'
import type { ServerOptions } from './options.ts'
import { serve } from './serve.ts'
import type { LogEntry } from './util/log.ts'

const open = storedAgents()
const patiently = { timeout: 30_000 }

/** A server that works on the background runs of its agent, as `run()` starts it. */
async function workingServer(
  turns: readonly ScriptedTurn[],
  options: ServerOptions = {},
  more: Partial<AgentOptions> = {},
) {
  const stored = open(turns, more)
  const { agent } = stored
  const server = await serve(agent, { port: 0, log: () => {}, ...options }, (working) => workOn([agent], working))
  return { ...stored, server }
}

/** Answers of a model that wait until they are released. */
function held(count: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = 0
  const turn = async (): Promise<string> => {
    begun++
    await promise
    return 'Done.'
  }
  return { turns: Array.from({ length: count }, () => turn), release: resolve, begun: () => begun }
}

const chat = (server: AgentServer, content: string, sessionId: string): Promise<Response> =>
  fetch(`${server.url}/api/v1/chat`, ask(content, { session_id: sessionId }))

describe('a server that works', () => {
  it('executes no more runs at once than it has places, background runs included', async () => {
    const model = held(6)
    const { agent, server } = await workingServer(model.turns, { limits: { runs: 3 } })
    await agent.enqueueMany(['a', 'b', 'c', 'd'].map((sessionId) => ({ input: 'Hi', sessionId })))
    // 3 places: 2 of them for background runs.
    await expect.poll(model.begun, patiently).toBe(2)
    const answers = ['x', 'y'].map((sessionId) => chat(server, 'Hi', sessionId))
    await expect.poll(model.begun, patiently).toBe(3)
    model.release()
    for (const answer of answers) expect((await answer).status).toBe(200)
    await expect.poll(async () => (await agent.runs({ status: 'done' })).length, patiently).toBe(6)
    await server.close()
  })

  it('logs a notice that fails as that, and not as a failure of its store', async () => {
    const entries: LogEntry[] = []
    const onRunEnd = (): never => {
      throw new Error('The receiver is away.')
    }
    const { agent, server } = await workingServer(['Done.'], { log: (entry) => entries.push(entry) }, { onRunEnd })
    await agent.result((await agent.enqueue('Hi')).runId)
    const failures = (): LogEntry[] => entries.filter(({ level }) => level === 'error')
    await expect.poll(() => failures().length, patiently).toBe(1)
    await server.close()
    const message = 'A worker tries again what has failed.'
    expect(failures()).toMatchObject([{ message, error: 'Error: The receiver is away.' }])
  })

  it('logs a line for each background run, and for one that fails its code', async () => {
    const entries: LogEntry[] = []
    const failure = new AgentKitError('auth', 'The key is wrong.', { retryable: false })
    const turns = [{ text: 'confidential', usage: { inputTokens: 4, outputTokens: 2 } }, failure]
    const { agent, server } = await workingServer(turns, { log: (entry) => entries.push(entry) })
    const ids: string[] = []
    for (const input of ['confidential', 'Again']) {
      const { runId } = await agent.enqueue(input)
      ids.push(runId)
      await agent.result(runId)
    }
    await expect.poll(() => entries.length, patiently).toBe(2)
    await server.close()
    expect(entries).toMatchObject([
      { level: 'info', message: 'A run has ended.', run_id: ids[0], finish_reason: 'stop', input_tokens: 4 },
      { level: 'error', message: 'A run has failed.', run_id: ids[1], finish_reason: 'error', code: 'auth' },
    ])
    expect(JSON.stringify(entries)).not.toContain('confidential')
  })

  it('logs the usage of the whole run at each of its lines', async () => {
    const entries: LogEntry[] = []
    const usage = { inputTokens: 10, outputTokens: 5 }
    const turns = [
      { toolCalls: [{ name: 'pay', input: { amount: 1 } }], usage },
      { text: 'Paid.', usage },
    ]
    const { agent, server } = await workingServer(turns, { log: (entry) => entries.push(entry) })
    const { runId } = await agent.enqueue('Pay.')
    const { approvals } = await agent.result(runId)
    await expect.poll(() => entries.length, patiently).toBe(1)
    await agent.decide(runId, Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true])))
    await expect.poll(() => entries.length, patiently).toBe(2)
    await server.close()
    expect(entries).toMatchObject([
      { finish_reason: 'approval', input_tokens: 10, output_tokens: 5 },
      { finish_reason: 'stop', input_tokens: 20, output_tokens: 10 },
    ])
  })

  it('logs the id of the request that has enqueued a run', async () => {
    const entries: LogEntry[] = []
    const { agent, server } = await workingServer(['Done.', 'Done.'], { log: (entry) => entries.push(entry) })
    const asked = { user_id: 'ann', session_id: 's', messages: [{ role: 'user', content: 'Hi' }] }
    const ids = ['of-the-route', 'of-the-dialect']
    for (const [index, path] of ['/api/v1/runs', '/v1/responses'].entries()) {
      const body = index === 0 ? asked : { model: agent.id, input: 'Hi', background: true }
      const headers = { 'content-type': 'application/json', 'x-request-id': ids[index] ?? '' }
      await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await expect.poll(() => entries.length, patiently).toBe(index + 1)
    }
    await server.close()
    expect(entries.map(({ message, request_id }) => [message, request_id])).toEqual(
      ids.map((id) => ['A run has ended.', id]),
    )
  })

  it('begins a background run as soon as a place is free', async () => {
    const model = held(1)
    const { agent, server } = await workingServer([...model.turns, 'Done.'], { limits: { runs: 1 } })
    const answer = chat(server, 'Hi', 'x')
    await expect.poll(model.begun, patiently).toBe(1)
    const { runId } = await agent.enqueue('Hi')
    model.release()
    await answer
    expect(await agent.result(runId)).toMatchObject({ text: 'Done.' })
    await server.close()
  })

  it('hands back runs that do not end while it stops: the next worker continues them', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const hang: ScriptedTurn = (_, signal) => {
      begin()
      return new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const first = await workingServer([hang], { limits: { drainMs: 50 } })
    const { runId } = await first.agent.enqueue('Hi', { sessionId: 's' })
    await begun
    await first.server.close()
    expect((await first.sessions.runs?.read(runId))?.record.status).toBe('running')
    const second = await workingServer(['Done.'], {}, { sessions: first.sessions })
    expect(await second.agent.result(runId)).toMatchObject({ text: 'Done.' })
    await second.server.close()
  })

  it('fails a run of a user who has used up the day', async () => {
    const usage = { inputTokens: 80, outputTokens: 40, totalTokens: 120 }
    const { agent, server } = await workingServer([{ text: 'Hi.', usage }, 'Done.'], {
      limits: { userDailyTokens: 100 },
    })
    await agent.result((await agent.enqueue('Hi', { userId: 'ada' })).runId)
    const { runId } = await agent.enqueue('Again', { userId: 'ada' })
    expect((await agent.result(runId)).error).toMatchObject({ code: 'budget' })
    const others = await agent.enqueue('Hi', { userId: 'bob' })
    expect(await agent.result(others.runId)).toMatchObject({ text: 'Done.' })
    await server.close()
  })
})

it('serve alone begins no background run', async () => {
  const { agent } = open(['Done.'])
  const server = await serve(agent, { port: 0 })
  const { runId } = await agent.enqueue('Hi')
  expect(await agent.sessions.runs?.background?.lastWorkers()).toEqual([])
  const record: RunRecord | undefined = (await agent.sessions.runs?.read(runId))?.record
  expect(record?.status).toBe('queued')
  await server.close()
})
