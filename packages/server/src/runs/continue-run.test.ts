import { afterEach, expect, it } from 'vitest'
import { until } from '../__fixtures__/requests.ts'
import { eventsIn, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { serve } from '../serve.ts'
import type { LogEntry } from '../util/log.ts'

const storedAgent = storedAgents()
const token = 'the-token-of-ada'
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server on which a user with one place has a run that waits for an approval, and another one that is busy. */
async function busyServer() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const stored = storedAgent([payTurn, () => promise, 'Paid.'])
  const { agent, model } = stored
  const entries: LogEntry[] = []
  const options = {
    port: 0,
    log: (entry: LogEntry) => void entries.push(entry),
    auth: { tokens: { [token]: 'ada' } },
    limits: { userRuns: 1 },
  }
  const { url, close } = await serve(agent, options)
  closers.push(close)
  const post = (path: string, body: object, accept: string): Promise<Response> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, accept }
    return fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const remove = (session: string): Promise<Response> =>
    fetch(`${url}/api/v1/sessions/${session}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
  const chat = (session_id: string): Promise<Response> =>
    post('chat', { session_id, messages: [{ role: 'user', content: 'Hi' }] }, 'application/json')
  const { run_id, approvals } = await (await chat('waits')).json()
  const busy = chat('busy')
  await until(() => model.requests.length === 2)
  const path = `runs/${run_id}/approvals/${approvals[0].approval_id}`
  const decide = (): Promise<Response> => post(path, { approve: true }, 'text/event-stream')
  return { ...stored, options, entries, remove, run_id, busy, decide, close, end: () => resolve('Done.') }
}

it('waits for a place of its user, and streams the run to the client that has decided', async () => {
  const { agent, paid, run_id, busy, decide, end } = await busyServer()
  const decided = decide()
  let status: string | undefined
  await until(() => {
    void agent.sessions.runs?.read(run_id).then((stored) => {
      status = stored?.record.status
    })
    return status === 'running'
  })
  // The search for free runs begins when the last approval of one is decided.
  await new Promise((later) => setTimeout(later, 300))
  expect(paid).toEqual([])
  end()
  expect((await busy).status).toBe(200)
  expect(eventsIn(await (await decided).text()).at(-1)?.data).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
  expect(paid).toEqual([5])
})

it('streams the end of the run to the client that has decided where another server continues it meanwhile', async () => {
  const { agent, paid, path, options, run_id, busy, decide, end } = await busyServer()
  const decided = await decide()
  const other = storedAgent(['Paid elsewhere.'], { path })
  const entries: LogEntry[] = []
  closers.push((await serve(other.agent, { ...options, log: (entry) => entries.push(entry) })).close)
  expect(await agent.result(run_id)).toMatchObject({ text: 'Paid elsewhere.' })
  end()
  expect((await busy).status).toBe(200)
  const events = eventsIn(await decided.text())
  expect(events.map(({ type }) => type)).toEqual(['run-start', 'text-delta', 'run-end'])
  expect(events.at(-1)?.data).toMatchObject({ finishReason: 'stop', text: 'Paid elsewhere.' })
  expect([paid, other.paid]).toEqual([[], [5]])
  // The server that has continued it logs it, with what it has used there.
  await expect
    .poll(() => entries)
    .toMatchObject([{ level: 'info', message: 'A run has ended.', run_id, finish_reason: 'stop' }])
})

it('says that it drains to the client whose decided run waits for a place when the server closes', async () => {
  const { agent, run_id, busy, decide, close, end } = await busyServer()
  const decided = await decide()
  const closed = close()
  const body = await decided.text()
  expect(body.endsWith(': draining\n\n')).toBe(true)
  expect(body).not.toContain('run-end')
  end()
  expect((await busy).status).toBe(200)
  await closed
  expect((await agent.sessions.runs?.read(run_id))?.record.status).toBe('running')
})

it('says that a decided run was cancelled whose session is deleted while it waits for a place', async () => {
  const { run_id, entries, remove, busy, decide, end } = await busyServer()
  const decided = await decide()
  expect((await remove('waits')).status).toBe(204)
  end()
  expect((await busy).status).toBe(200)
  const events = eventsIn(await decided.text())
  expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'aborted', error: { code: 'aborted' } })
  expect(entries.filter((entry) => entry.run_id === run_id && entry.level === 'error')).toEqual([])
})

it('says that it drains where another server has continued the run meanwhile', async () => {
  const { agent, path, options, busy, decide, close, end } = await busyServer()
  const decided = await decide()
  const held = Promise.withResolvers<string>()
  const other = storedAgent([() => held.promise], { path })
  closers.push((await serve(other.agent, options)).close)
  await until(() => other.model.requests.length === 1)
  const waits = Promise.withResolvers<void>()
  const { result } = agent
  agent.result = (runId, following) => {
    waits.resolve()
    return result.call(agent, runId, following)
  }
  end()
  expect((await busy).status).toBe(200)
  await waits.promise
  await close()
  const body = await decided.text()
  expect(body.endsWith(': draining\n\n')).toBe(true)
  expect(body).not.toContain('run-end')
  held.resolve('Paid elsewhere.')
})

it('no longer waits for the end on another server when the client that has decided leaves', async () => {
  const { agent, path, options, run_id, busy, decide, end } = await busyServer()
  const decided = await decide()
  const held = Promise.withResolvers<string>()
  const other = storedAgent([() => held.promise], { path })
  closers.push((await serve(other.agent, options)).close)
  await until(() => other.model.requests.length === 1)
  let waiting: AbortSignal | undefined
  const { result } = agent
  agent.result = (runId, following) => {
    waiting = following?.signal
    return result.call(agent, runId, following)
  }
  end()
  expect((await busy).status).toBe(200)
  await expect.poll(() => waiting?.aborted).toBe(false)
  await decided.body?.cancel()
  await expect.poll(() => waiting?.aborted).toBe(true)
  held.resolve('Paid elsewhere.')
  expect(await result.call(agent, run_id)).toMatchObject({ text: 'Paid elsewhere.' })
})
