import { expect, it } from 'vitest'
import { payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createCapacity } from '../capacity/capacity.ts'
import { defaultLimits } from '../limits.ts'
import { recover } from './recover.ts'

const storedAgent = storedAgents()

/** A run of the user that is decided and that no server has. */
async function decidedRun(userId: string, path?: string) {
  const first = storedAgent([payTurn], path === undefined ? {} : { path })
  const { runId, approvals } = await first.agent.stream('Pay', { userId, sessionId: 'pays', onApproval: 'end' }).result
  await first.agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true }, { userId })
  return { runId, path: first.path }
}

it('continues a run that another server has left within the places of its user', async () => {
  const { runId, path } = await decidedRun('ada')
  const { runId: ofBob } = await decidedRun('bob', path)
  const { agent, paid } = storedAgent(['Paid.', 'Paid.'], { path })
  const capacity = createCapacity({ ...defaultLimits, userRuns: 1 }, agent, { hasAuth: true })
  const stopped = new AbortController()
  const leave = await capacity.enter(stopped.signal, { userId: 'ada' })
  const recovery = recover({ agent, capacity, log: () => {}, signal: stopped.signal })
  expect(await agent.result(ofBob)).toMatchObject({ text: 'Paid.' })
  await expect.poll(() => capacity.runs.queued).toBe(1)
  expect(paid).toEqual([5])
  leave()
  expect(await agent.result(runId)).toMatchObject({ text: 'Paid.' })
  stopped.abort()
  await recovery?.ended
  expect(capacity.runs.running).toBe(0)
})
