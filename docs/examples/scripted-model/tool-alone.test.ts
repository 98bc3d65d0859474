import { type ToolContext, tool } from 'agentkit'
import { expect, it } from 'vitest'
import { z } from 'zod'

const stock = new Map([['ada', 3]])
const count = tool({
  name: 'count_stock',
  description: 'How many parts of a kind the user has.',
  input: z.object({ kind: z.string() }),
  execute: ({ kind }, { userId }) => `${stock.get(userId) ?? 0} ${kind}`,
})

/** What a run passes to its tools. */
const context: ToolContext = {
  userId: 'ada',
  runId: 'run_1',
  callId: 'call_1',
  idempotencyKey: 'run_1:call_1',
  signal: AbortSignal.timeout(5_000),
  cite: () => {},
}

it('counts the parts of its user', async () => {
  expect(await count.execute({ kind: 'bolts' }, context)).toBe('3 bolts')
  expect(await count.execute({ kind: 'bolts' }, { ...context, userId: 'kim' })).toBe('0 bolts')
})
