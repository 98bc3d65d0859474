import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent, Swarm, tool, workflow } from '../index.ts'

/** An agent that pays once per task, with the same id for each call, and the keys of its payments. */
function payer(tasks: number): { clerk: Agent; keys: string[] } {
  const keys: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    execute(_input, { idempotencyKey }) {
      keys.push(idempotencyKey)
      return 'paid'
    },
  })
  const turns = Array.from({ length: tasks }, () => [
    { toolCalls: [{ name: 'pay', input: {}, callId: 'call_0' }] },
    'Paid.',
  ])
  return { clerk: new Agent({ name: 'Clerk', functions: [pay], model: scriptedModel(turns.flat()) }), keys }
}

const ask = (task: string) => ({ toolCalls: [{ name: 'clerk', input: { task } }] })

describe('the idempotency key of a call, whose id its model has used before, is another one', () => {
  it('for each task of a member of a swarm', async () => {
    const { clerk, keys } = payer(2)
    const model = scriptedModel([ask('Pay Ada.'), ask('Pay Bob.'), 'Both are paid.'])
    await new Swarm({ name: 'Team', agents: [clerk], model }).chat('Pay Ada and Bob.')
    expect(new Set(keys).size).toBe(2)
  })

  it('for each step of a workflow, also in loops, in parallel and in workflows in it', async () => {
    const { clerk, keys } = payer(7)
    const inner = workflow({ name: 'Inner' }).step(clerk)
    const outer = workflow()
      .step(clerk)
      .loop(clerk, { maxIterations: 2 })
      .parallel([clerk, clerk])
      .step(() => 'Go on.')
    await outer.step(inner).step(inner).run('Pay.')
    expect(new Set(keys).size).toBe(7)
  })
})
