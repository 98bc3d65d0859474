import { expect, it } from 'vitest'
import type { Query } from '../database/database.ts'
import { addQueued, type QueuedRow } from './add-queued.ts'

it('adds runs with large inputs in their order, by several statements', async () => {
  const options = JSON.stringify('x'.repeat(7_000_000))
  const rows = Array.from(
    { length: 7 },
    (_, index): QueuedRow => ({
      key: { agentId: 'a', userId: 'u', sessionId: 's' },
      ...{ runId: `r${index}`, agentId: 'a', options, title: null, priority: 0, dueAt: null, agentVersion: null },
      ...{ idempotency: undefined, notifies: false, parent: null, root: null },
    }),
  )
  const statements: string[][] = []
  const query = async (text: string, values: readonly unknown[] = []): Promise<unknown[]> => {
    if (!text.includes('agentkit.runs')) return []
    const [, runIds = [], , , stored = []] = values as string[][]
    // The driver writes a list as one text, which has at most 2 ** 29 characters.
    expect(stored.join().length).toBeLessThan(20_000_000)
    statements.push(runIds)
    return runIds.map((run_id) => ({ run_id }))
  }
  const added = await addQueued(query as Query, rows, 1)
  expect(statements).toEqual([['r0', 'r1'], ['r2', 'r3'], ['r4', 'r5'], ['r6']])
  expect([...added]).toEqual(rows.map(({ runId }) => runId))
})
