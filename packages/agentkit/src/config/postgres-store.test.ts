import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { isPostgres, postgresStore } from './postgres-store.ts'

useFolder()

it('keeps sessions and background runs of an agent whose `sessions` is an address', async () => {
  const sessions = await testDatabase()
  const agent = new Agent({ name: 'Writer', functions: [], model: scriptedModel(['The report.']), sessions })
  const worker = await agent.work()
  const { runId } = await agent.enqueue('Write the report', { userId: 'ann', sessionId: 'q3' })
  expect(await agent.result(runId)).toMatchObject({ text: 'The report.' })
  await worker.close()
  await agent.close()
  const other = new Agent({ name: 'Writer', functions: [], model: scriptedModel([]), sessions })
  expect(await other.runs({ userId: 'ann' })).toMatchObject([{ runId, sessionId: 'q3', status: 'done' }])
  await other.close()
}, 60_000)

it('needs the package of the queue, and says how to install it', () => {
  const absent = (name: string): never => {
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
  }
  expect(() => postgresStore('postgres://ann:hunter2@localhost/app', absent)).toThrow(
    expect.objectContaining({
      code: 'missing-package',
      message: 'The package @agentkit/queue-postgres is not installed. Run: npm i @agentkit/queue-postgres pg',
    }),
  )
})

it.each([
  ['postgres://localhost/app', true],
  ['postgresql://localhost/app', true],
  ['mysql://localhost/app', false],
  ['postgres', false],
])('of %s is %s', (address, expected) => {
  expect(isPostgres(address)).toBe(expected)
})
