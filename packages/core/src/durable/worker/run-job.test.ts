import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { clerk } from '../../__fixtures__/clerk.ts'
import { calls } from '../../__fixtures__/payer.ts'
import { AgentKitError } from '../../index.ts'
import { limits } from '../../limits.ts'
import type { AgentRun } from '../../runs/driver/run.ts'
import { backgroundOf } from '../queue/background-of.ts'
import type { ContinueOptions } from '../stored/continue-stored.ts'
import { type JobOutcome, jobRunner, type OnSettled, type OnSpent } from './run-job.ts'

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

it('leaves a run to another job that was retried, and begun by it, before its own job was settled', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const failing = [new AgentKitError('bad-request', 'No.')]
  const office = clerk(() => (office.modelCalls() === 1 ? failing : [calls('look 1'), 'Done.']), {
    async look() {
      ask()
      await answered
      return 'seen'
    },
  })
  const { agent, store } = office.open()
  const { runId } = await agent.enqueue('Look.')
  const runner = jobRunner({ store, runs: backgroundOf(store) })
  let other: Promise<JobOutcome> | undefined
  const retried = {
    id: agent.id,
    continueRun(id: string, options?: ContinueOptions) {
      const result = agent.continueRun(id, options).result.then(async (ended) => {
        await agent.retry(id)
        other = runner.run(agent, id)
        await asked
        return ended
      })
      return { result } as AgentRun<unknown> // a job needs the result alone
    },
  }
  expect(await runner.run(retried, runId)).toEqual({ afterMs: limits.elsewhereAgainMs })
  answer()
  expect(await other).toBe('done')
  expect(await agent.result(runId)).toMatchObject({ text: 'Done.', finishReason: 'stop' })
})

it('has a decided run tried again later while another one has its session: that may need its own job', async () => {
  const { agent, store } = clerk(() => ['Done.']).open()
  const { runId } = await agent.enqueue('Look.')
  const runs = backgroundOf(store)
  const stored = await runs.read(runId)
  if (!stored) throw new Error('It is stored.')
  const decided = { ...stored, isFree: true, record: { ...stored.record, status: 'running' } } as const
  const error = new AgentKitError('session-conflict', 'Another run has the session.')
  const continueRun = () => ({ result: Promise.resolve({ error }) }) as AgentRun<unknown> // a job needs the result alone
  const runner = jobRunner({ store, runs: { ...runs, read: async () => decided } })
  expect(await runner.run({ id: agent.id, continueRun }, runId)).toEqual({ afterMs: limits.busyAgainMs })
})

it('reports nothing used, and no end, of a run that another job executes', async () => {
  const { agent, store } = clerk(() => ['Done.']).open()
  const { runId } = await agent.enqueue('Look.')
  const runs = backgroundOf(store)
  const error = new AgentKitError('session-busy', 'The session is busy.')
  const busy = {
    id: agent.id,
    continueRun(id: string) {
      // The other job ends the run meanwhile.
      const result = agent.continueRun(id).result.then(() => ({ error }))
      return { result } as AgentRun<unknown> // a job needs the result alone
    },
  }
  const onSpent = vi.fn()
  const onSettled = vi.fn()
  expect(await jobRunner({ store, runs, onSpent, onSettled }).run(busy, runId)).toBe('done')
  expect(await agent.result(runId)).toMatchObject({ text: 'Done.' })
  expect(onSpent).not.toHaveBeenCalled()
  expect(onSettled).not.toHaveBeenCalled()
})

it('reports of a run that another process has taken over what this one has used', async () => {
  const [begun, frozen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const office = clerk([calls('look 1'), calls('look 2'), calls('look 3'), 'Done.'], {
    async look() {
      if (office.done.length !== 2) return 'seen'
      begun.resolve()
      await frozen.promise
      return 'seen'
    },
  })
  const [first, second] = [office.open(), office.open()]
  const { runId } = await first.agent.enqueue('Look.')
  const spent: Parameters<OnSpent>[1][] = []
  const runIn = ({ agent, store }: typeof first): Promise<JobOutcome> =>
    jobRunner({ store, runs: backgroundOf(store), onSpent: (_run, used) => void spent.push(used) }).run(agent, runId)
  const running = runIn(first)
  await begun.promise
  first.kill()
  expect(await runIn(second)).toBe('done')
  frozen.resolve()
  await running
  expect(spent).toMatchObject([{ usage: { inputTokens: 20 } }, { usage: { inputTokens: 20 } }])
  expect((await second.agent.result(runId)).usage).toMatchObject({ inputTokens: 40 })
})

it('tries a run again whose limits cannot be read, and does not fail it', async () => {
  const office = clerk(['Done.'])
  const { agent, store } = office.open()
  const { runId } = await agent.enqueue('Look.')
  const away = new AgentKitError('storage', 'The database is locked.', { retryable: true })
  let isAway = true
  const admit = async (): Promise<void> => {
    if (isAway) throw away
  }
  const runner = jobRunner({ store, runs: backgroundOf(store), admit })
  for (let tries = 0; tries <= limits.jobAttempts; tries++) await expect(runner.run(agent, runId)).rejects.toBe(away)
  isAway = false
  expect(await runner.run(agent, runId)).toBe('done')
  expect(await agent.result(runId)).toMatchObject({ text: 'Done.', finishReason: 'stop' })
})

it.each([
  ['SQLite', { errcode: 13 }],
  ['Postgres', { code: '53100' }],
])('tries a run again for as long as the disk of %s is full, and does not fail it', async (_, cause) => {
  const { agent, store } = clerk(['Done.']).open()
  const { runId } = await agent.enqueue('Look.')
  const full = new AgentKitError('storage', 'The disk is full.', { cause })
  const takeOver = vi.spyOn(store.runs, 'takeOver').mockRejectedValue(full)
  const runner = jobRunner({ store, runs: backgroundOf(store) })
  for (let tries = 0; tries <= limits.jobAttempts; tries++)
    await expect(runner.run(agent, runId)).rejects.toMatchObject({ code: 'storage' })
  takeOver.mockRestore()
  expect(await runner.run(agent, runId)).toBe('done')
  expect(await agent.result(runId)).toMatchObject({ text: 'Done.', finishReason: 'stop' })
})

it('reports a run that is cancelled just before it begins as aborted, not as one that has failed', async () => {
  const { agent, store } = clerk(() => ['Done.']).open()
  const { runId } = await agent.enqueue('Look.')
  const cancelled = {
    id: agent.id,
    continueRun(id: string, options?: ContinueOptions) {
      const result = agent.cancel(id).then(() => agent.continueRun(id, options).result)
      return { result } as AgentRun<unknown> // a job needs the result alone
    },
  }
  const settled: unknown[] = []
  const onSettled: OnSettled = (_, _spent, result) => settled.push(result)
  expect(await jobRunner({ store, runs: backgroundOf(store), onSettled }).run(cancelled, runId)).toBe('done')
  expect(settled).toEqual([{ runId, finishReason: 'aborted', usage: {} }])
})

it('has ended a run that failed, though its store takes a time to store that', async () => {
  const { agent, store } = clerk(() => [new AgentKitError('bad-request', 'No.')]).open()
  const runs = backgroundOf(store)
  const end = runs.end.bind(runs)
  // Longer than a caller of a direct run waits for the store.
  vi.spyOn(runs, 'end').mockImplementation((...entry) => sleep(limits.endFailedMs * 4).then(() => end(...entry)))
  const { runId } = await agent.enqueue('Look.')
  const settled: string[] = []
  const onSettled: OnSettled = (_, _spent, { error }) => settled.push(error?.code ?? '')
  expect(await jobRunner({ store, runs, onSettled }).run(agent, runId)).toBe('done')
  expect(settled).toEqual(['bad-request'])
})
