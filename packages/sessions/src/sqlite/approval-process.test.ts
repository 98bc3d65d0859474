import { appendFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Decisions, type RunResult, type SessionStore, tool, validateTranscript } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const inSession = { userId: 'ann', sessionId: 's' }
const key = { agentId: 'payer', ...inSession }
let folder: string
let path: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-approval-'))
  path = join(folder, 'sessions.db')
  file = join(folder, 'done.txt')
})
afterEach(() => rm(folder, { recursive: true }))

it.each([
  ['with', ['s']],
  ['without', []],
])('a run %s a session waits while its process is killed, and continues in another', async (_, sessionId) => {
  const [runId, approvalId] = await waitAndDie(sessionId)
  const store = sqliteSessions(path)
  expect(await store.find(runId)).toMatchObject({ status: 'waiting' })
  const { text, messages, usage, steps } = await resume(store, runId, { [approvalId]: true })
  expect([text, steps, usage.totalTokens]).toEqual(['Paid.', 3, 45])
  expect(await done()).toEqual(['looked', 'looked', 'paid here'])
  expect(messages.map(({ role }) => role).join(' ')).toBe('user assistant tool assistant tool tool assistant')
  expect(validateTranscript(messages)).toEqual([])
  if (sessionId.length > 0) expect((await store.load(key))?.messages).toEqual(messages)
  else expect(await store.list({ agentId: 'payer', userId: 'ann' })).toEqual([])

  expect((await resume(store, runId, { [approvalId]: true })).error?.code).toBe('session-conflict')
  expect(await done()).toHaveLength(3)
  await store.close()
})

it('denies a run in another process', async () => {
  const [runId, approvalId] = await waitAndDie(['s'])
  const store = sqliteSessions(path)
  const { text, messages } = await resume(store, runId, { [approvalId]: { deny: 'too much' } })
  expect(text).toBe('Paid.')
  expect(messages.at(-3)).toMatchObject({ callId: 'pay', content: 'The call was denied: too much', isError: true })
  expect(await done()).toEqual(['looked', 'looked'])
  await store.close()
})

it('resumes a run once when several connections approve it at the same time', async () => {
  const [runId, approvalId] = await waitAndDie(['s'])
  const stores = [1, 2, 3, 4].map(() => sqliteSessions(path))
  const ends = await Promise.all(stores.map((store) => resume(store, runId, { [approvalId]: true })))
  expect(ends.map(({ text, error }) => error?.code ?? text).toSorted()).toEqual([
    ...['Paid.', 'session-conflict', 'session-conflict', 'session-conflict'],
  ])
  expect(await done()).toEqual(['looked', 'looked', 'paid here'])
  await Promise.all(stores.map((store) => store.close()))
})

it('does not repeat an approved call whose process was killed during it', async () => {
  const child = startChild('wait-for-approval.ts', [path, file, 's'])
  const [runId = '', approvalId = ''] = (await child.nextLine()).split(' ')
  child.process.stdin.write(`${approvalId}\n`)
  expect(await child.nextLine()).toBe('paying')
  child.process.kill('SIGKILL')
  await child.exited

  // The decision made it a run that is resumed, and what the call did is not known: a person decides.
  const store = sqliteSessions(path)
  expect((await resume(store, runId, { [approvalId]: true })).error?.code).toBe('session-conflict')
  const { approvals } = await resume(store, runId, {})
  expect(approvals).toMatchObject([{ callId: 'pay', kind: 'unknown-outcome', startedAt: expect.stringMatching(/Z$/) }])
  expect(await done()).toEqual(['looked', 'looked', 'paid'])
  // A suspended run does not hold its session.
  const next = new Agent({ name: 'Payer', functions: [], model: scriptedModel(['Hello.']), sessions: store })
  expect(await next.chat('Hi', inSession)).toBe('Hello.')
  const [approval] = approvals
  const { messages, text } = await resume(store, runId, { [approval?.approvalId ?? '']: { result: 'paid' } })
  expect([text, messages.find((message) => message.role === 'tool' && message.callId === 'pay')?.content]).toEqual([
    ...['Paid.', 'paid'],
  ])
  expect(await done()).toEqual(['looked', 'looked', 'paid'])
  expect(validateTranscript((await store.load(key))?.messages ?? [])).toEqual([])
  await store.close()
})

it('accepts one of several simultaneous decisions, and the others receive the accepted one', async () => {
  const [runId, approvalId] = await waitAndDie(['s'])
  const stores = [1, 2, 3, 4].map(() => sqliteSessions(path))
  const decisions = stores.map(async (sessions, index) => {
    const agent = new Agent<unknown>({ name: 'Payer', functions: [], model: scriptedModel([]), sessions })
    const decision = index % 2 === 0 ? (true as const) : { deny: 'no' }
    return agent.decide(runId, { [approvalId]: decision }, { by: `boss ${index}` }).catch((error) => error)
  })
  const outcomes = await Promise.all(decisions)
  const errors = outcomes.filter((error) => error !== undefined)
  expect(errors).toHaveLength(3)
  for (const error of errors) {
    expect(error).toMatchObject({
      code: 'session-conflict',
      message: expect.stringMatching(/was (approved|denied) by boss \d at .*Z/),
    })
  }
  const stored = await stores[0]?.runs?.read(runId)
  expect(stored).toMatchObject({
    record: { status: 'running' },
    approvals: [{ decidedBy: expect.stringMatching(/^boss/) }],
  })
  const [store] = stores
  if (store) expect((await resume(store, runId, {})).text).toBe('Paid.')
  await Promise.all(stores.map((each) => each.close()))
})

it('resumes a run that waits in a live process elsewhere, and only once', async () => {
  const child = startChild('wait-for-approval.ts', [path, file, 's'])
  const [runId = '', approvalId = ''] = (await child.nextLine()).split(' ')
  const store = sqliteSessions(path)
  expect((await resume(store, runId, { [approvalId]: true })).text).toBe('Paid.')
  // The first process gets its approval too late.
  child.process.stdin.end(`${approvalId}\n`)
  expect(await child.exited).toBe(0)
  expect(await done()).toEqual(['looked', 'looked', 'paid here'])
  expect((await store.load(key))?.messages).toHaveLength(7)
  await store.close()
})

/** Starts a process that waits for approval, and kills it. */
async function waitAndDie(sessionId: readonly string[]): Promise<[runId: string, approvalId: string]> {
  const child = startChild('wait-for-approval.ts', [path, file, ...sessionId])
  const [runId = '', approvalId = ''] = (await child.nextLine()).split(' ')
  child.process.kill('SIGKILL')
  await child.exited
  return [runId, approvalId]
}

function resume(sessions: SessionStore, runId: string, decisions: Decisions): Promise<RunResult> {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => appendFileSync(file, 'paid here\n'),
  })
  const agent = new Agent<unknown>({ name: 'Payer', functions: [pay], model: scriptedModel(['Paid.']), sessions })
  return agent.resume(runId, decisions, { userId: 'ann' }).result
}

async function done(): Promise<string[]> {
  return (await readFile(file, 'utf8')).trim().split('\n')
}
