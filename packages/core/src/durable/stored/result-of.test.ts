import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { memoryDisk } from '../../__fixtures__/memory-runs.ts'
import { Agent } from '../../index.ts'

const day = z.iso.date().transform((text) => new Date(text))

it('returns what the schema returned, not what JSON made of it', async () => {
  const agent = planner(z.object({ day, seats: z.number().default(1) }))
  const run = await agent.stream('When?', { sessionId: 'ann' }).result
  const stored = await agent.result(run.runId)
  expect(stored.finishReason === 'stop' && stored.output.day.getFullYear()).toBe(2026)
  expect(stored.output).toEqual(run.output)
})

it('returns what is stored when a newer schema does not accept the answer', async () => {
  const disk = memoryDisk()
  const { runId } = await planner(z.object({ day }), disk).stream('When?', { sessionId: 'ann' }).result
  const newer = planner(z.object({ day, seats: z.number() }), disk)
  expect(await newer.result(runId)).toMatchObject({ finishReason: 'stop', output: { day: '2026-03-01T00:00:00.000Z' } })
})

function planner<Output>(output: z.ZodType<Output>, disk = memoryDisk()): Agent<Output> {
  const model = scriptedModel(['It is {"day": "2026-03-01"}.'])
  return new Agent({ name: 'Planner', model, output, sessions: disk.open().store })
}
