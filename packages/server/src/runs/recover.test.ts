import { expect, it, vi } from 'vitest'
import { payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createCapacity } from '../capacity/capacity.ts'
import { defaultLimits } from '../limits.ts'
import { recover } from './recover.ts'

const storedAgent = storedAgents()

/** A run of the user that is decided and that no server has. */
async function decidedRun(userId: string, path?: string, sessionId = 'pays') {
  const first = storedAgent([payTurn], path === undefined ? {} : { path })
  const { runId, approvals } = await first.agent.stream('Pay', { userId, sessionId, onApproval: 'end' }).result
  await first.agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true }, { userId })
  return { runId, path: first.path }
}

it('continues a run that another server has left within the places of its user', async () => {
  const { runId, path } = await decidedRun('ada')
  const ofBob = [await decidedRun('bob', path), await decidedRun('bob', path, 'pays-more')]
  await decidedRun('ada', path, 'pays-more')
  const { agent, paid, sessions } = storedAgent(['Paid.', 'Paid.', 'Paid.', 'Paid.'], { path })
  const capacity = createCapacity({ ...defaultLimits, userRuns: 2 }, agent, { hasAuth: true })
  const search = vi.spyOn(sessions.runs ?? expect.fail(), 'orphans')
  const stopped = new AbortController()
  const busy = [1, 2].map(() => capacity.enter(stopped.signal, { userId: 'ada' }))
  const [leave, leaveOther] = await Promise.all(busy)
  const recovery = recover({ agent, capacity, log: () => {}, signal: stopped.signal })
  // Those of another user all continue at once.
  for (const { runId: each } of ofBob) expect(await agent.result(each)).toMatchObject({ text: 'Paid.' })
  expect(search).toHaveBeenCalledTimes(1)
  await expect.poll(() => capacity.runs.queued).toBe(1)
  expect(paid).toEqual([5, 5])
  leave?.()
  expect(await agent.result(runId)).toMatchObject({ text: 'Paid.' })
  leaveOther?.()
  stopped.abort()
  await recovery?.ended
  expect(capacity.runs.running).toBe(0)
})
