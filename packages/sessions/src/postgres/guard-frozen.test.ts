import type { RunStore } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { queryAt } from './__fixtures__/query-at.ts'
import { type TCPProxy, tcpProxy } from './__fixtures__/tcp-proxy.ts'
import { unusedQueue } from './__fixtures__/unused-queue.ts'
import { postgresSessions } from './postgres-sessions.ts'

// The answer to a write is on its way when the process is frozen.

let url: string
let proxy: TCPProxy
let close: () => Promise<void>
let runs: RunStore
beforeEach(async () => {
  url = await testDatabase()
  proxy = await tcpProxy(url)
  // Every answer takes longer than a heartbeat.
  const store = postgresSessions(proxy.urlOf(url), { queue: unusedQueue, heartbeatMs: 1, staleAfterMs: 600_000 })
  close = store.close
  if (!store.runs) throw new Error('The store has runs.')
  runs = store.runs
  await runs.create(key, {
    runId: 'r1',
    agentId: 'helper',
    expectedVersion: 0,
    input,
    isResumable: true,
    keepsEvents: true,
  })
})
afterEach(async () => {
  await close()
  await proxy.close()
})

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const input = [{ v: 1, role: 'user', content: 'Hi' }] as const
const taken = "UPDATE agentkit.runs SET attempt = attempt + 1, holder = 'other' WHERE run_id = 'r1'"

it('refuses an entry that is stored when another process has the run by now, so that no call is made', async () => {
  const pass = proxy.keepAnswer('added AS')
  const appended = runs.append('r1', { attempt: 1, messages: [...input] })
  await expect.poll(() => queryAt(url, 'SELECT FROM agentkit.messages')).toHaveLength(2)
  await queryAt(url, taken)
  pass()
  await expect(appended).rejects.toMatchObject({ code: 'session-conflict' })
})

it('refuses a run that was taken over for this process when another one has it by now', async () => {
  await runs.release('r1', 1)
  const pass = proxy.keepAnswer('COMMIT')
  const begun = runs.takeOver('r1', { expectedVersion: 1 })
  await expect.poll(() => queryAt(url, 'SELECT FROM agentkit.runs WHERE attempt = 2')).toHaveLength(1)
  await queryAt(url, taken)
  pass()
  await expect(begun).rejects.toMatchObject({ code: 'session-conflict' })
})

it('takes answers that are late, also those to the last events of a run that waits', async () => {
  await runs.append('r1', { attempt: 1, messages: [...input] })
  const approval = { approvalId: 'a', callId: 'c', name: 'pay', input: {}, kind: 'approval' } as const
  await runs.suspend('r1', { attempt: 1, approvals: [approval] })
  await runs.append('r1', { attempt: 1, events: [{ type: 'text-delta', text: 'x', seq: 1, runId: 'r1', path: [] }] })
  expect(await runs.events('r1', 0, 10)).toHaveLength(1)
})
