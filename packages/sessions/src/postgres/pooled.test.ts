import { Agent } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import { expect, it, vi } from 'vitest'
import { tcpProxy } from './__fixtures__/tcp-proxy.ts'
import { postgresSessions } from './postgres-sessions.ts'

it('works on background runs by polling where no notification arrives, and warns', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const url = await testDatabase()
  const proxy = await tcpProxy(url)
  proxy.passesNotifications = false
  const open = (address: string): Agent => {
    const sessions = postgresSessions(address, { queue: postgresQueue(address) })
    return new Agent({ name: 'Writer', functions: [], model: scriptedModel(['One.', 'Two.']), sessions })
  }
  const [pooled, direct] = [open(proxy.urlOf(url)), open(url)]
  const worker = await pooled.work()
  for (const text of ['One.', 'Two.']) {
    const { runId } = await direct.enqueue('Write.', { userId: 'ann', sessionId: 's' })
    const types: string[] = []
    for await (const { type } of pooled.follow(runId)) types.push(type)
    expect(types.at(-1)).toBe('run-end')
    expect(await direct.result(runId)).toMatchObject({ text })
  }
  await expect.poll(() => warn.mock.calls.flat().join(), { timeout: 60_000 }).toContain('LISTEN does not work')
  await worker.close()
  await Promise.all([pooled.sessions.close(), direct.sessions.close()])
  await proxy.close()
  warn.mockRestore()
  warnings.mockRestore()
})
