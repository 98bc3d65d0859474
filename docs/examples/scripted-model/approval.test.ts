import { scriptedModel } from '@agentkit/testing'
import { Agent, tool } from 'agentkit'
import { expect, it, vi } from 'vitest'

it('pays once a person has agreed', async () => {
  const pay = vi.fn(() => 'paid')
  const payment = tool({
    name: 'pay',
    description: 'Pays an invoice.',
    input: { type: 'object' },
    needsApproval: true,
    execute: pay,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'It is paid.'])
  const agent = new Agent({ name: 'Clerk', functions: [payment], model, sessions: ':memory:' })

  const { runId, approvals } = await agent.stream('Pay invoice 7.').result
  expect(pay).not.toHaveBeenCalled()

  const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
  expect((await agent.resume(runId, decisions).result).text).toBe('It is paid.')
  expect(pay).toHaveBeenCalledOnce()
})
