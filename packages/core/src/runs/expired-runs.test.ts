import { expect, it } from 'vitest'
import { clerk } from '../__fixtures__/clerk.ts'
import { endExpiredRuns } from './expired-runs.ts'

const day = 86_400_000

it('ends no run whose approvals are still open by the time that the store knows since its first call', async () => {
  let aheadMs = 0
  const office = clerk([{ toolCalls: [{ name: 'pay', input: { amount: 1 } }] }], { now: () => Date.now() + aheadMs })
  const { agent, store } = office.open()
  const { runId } = await agent.stream('Pay.', { sessionId: 's', onApproval: 'end' }).result
  const expired = store.runs.expired.bind(store.runs)
  store.runs.expired = async (...given) => {
    const found = await expired(...given)
    aheadMs = 0
    return found
  }
  aheadMs = 2 * day
  await endExpiredRuns(store, 'clerk', day)
  expect((await store.runs.read(runId))?.record.status).toBe('waiting')
})
