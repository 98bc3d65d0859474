import { expect, it } from 'vitest'
import { clerk } from '../__fixtures__/clerk.ts'
import { AgentKitError } from '../index.ts'
import type { AgentRun } from '../runs/run.ts'
import { backgroundOf } from './background-of.ts'
import type { ContinueOptions } from './continue-stored.ts'
import { jobRunner } from './run-job.ts'

it('begins a run at once that was retried before its job was settled', async () => {
  const office = clerk(() => (office.modelCalls() === 1 ? [new AgentKitError('bad-request', 'No.')] : ['Done.']))
  const { agent, store } = office.open()
  const { runId } = await agent.enqueue('Look.')
  const retried = {
    id: agent.id,
    continueRun(id: string, options?: ContinueOptions) {
      const run = agent.continueRun(id, options)
      const result = run.result.then(async (ended) => {
        if (ended.error) await agent.retry(id)
        return ended
      })
      return { result } as AgentRun<unknown> // a job needs the result alone
    },
  }
  const runner = jobRunner({ store, runs: backgroundOf(store) })
  expect(await runner.run(retried, runId)).toEqual({ afterMs: 0 })
  expect(await runner.run(retried, runId)).toBe('done')
  expect(await agent.result(runId)).toMatchObject({ text: 'Done.', finishReason: 'stop' })
})
