import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { Agent, tool } from 'agentkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteUser } from './delete-user.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const canary = 'CANARY-of-ann'

it('leaves no byte of a user on disk, and all of another one', async () => {
  const sessions = sqliteSessions(join(folder, 'sessions.db'))
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 'ok',
  })
  const open = (text: string): Agent => {
    const model = scriptedModel([`${text} 1`, `${text} 2`, `${text} 3`, { toolCalls: [{ name: 'pay' }] }])
    return new Agent({ name: 'Helper', functions: [pay], model, sessions })
  }
  for (const userId of [canary, 'bob']) {
    const agent = open(userId)
    await agent.chat(userId, { userId, sessionId: 's' })
    await agent.stream(userId, { userId, resumable: true }).result
    const { runId } = await agent.enqueue(userId, { userId, idempotencyKey: userId })
    const worker = await agent.work()
    await agent.result(runId)
    await worker.close()
    await expect(agent.chat(userId, { userId })).rejects.toMatchObject({ code: 'approval' })
    await agent.enqueue(userId, { userId, startAfter: new Date(Date.now() + 3_600_000) })
    await agent.schedule(`digest-${userId}`, { cron: '0 7 * * *' }, userId, { userId })
    await sessions.memory?.addNote({ agentId: 'helper', userId }, { noteId: 'n', text: userId, runId }, 50)
    await sessions.memory?.clear({ agentId: 'helper', userId })
  }
  const agent = open('')
  expect(await agent.runs({ userId: canary })).toHaveLength(5)
  await deleteUser(agent, canary)
  expect(await agent.runs({ userId: 'bob' })).toHaveLength(5)
  expect((await agent.schedules()).map(({ userId }) => userId)).toEqual(['bob'])
  await sessions.close()
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  expect(bytes.join('').includes(canary)).toBe(false)
  expect(bytes.join('').includes('bob')).toBe(true)
})
