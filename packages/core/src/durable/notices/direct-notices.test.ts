import { afterEach, describe, expect, it, vi } from 'vitest'
import { clerk } from '../../__fixtures__/clerk.ts'
import { calls } from '../../__fixtures__/payer.ts'
import { AgentKitError, type RunRecord } from '../../index.ts'
import { limits } from '../../limits.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { workOn } from '../worker/work.ts'

afterEach(() => void vi.useRealTimers())

const patiently = { timeout: 30_000 }
const inSession = { userId: 'ann', sessionId: 's' }

describe('onRunEnd of an agent that no worker has', () => {
  it('is called with each stored run of chat and stream that waits, ends or fails', async () => {
    const seen: RunRecord[] = []
    const turnsOf = (question: string) => {
      if (question === 'Fail.') return [() => Promise.reject(new Error('The model is gone.'))]
      return question === 'Pay.' ? [calls('pay 1'), 'Paid.'] : ['Done.']
    }
    const { agent } = clerk(turnsOf, { retry: { attempts: 1 }, onRunEnd: (run) => void seen.push(run) }).open()
    const statuses = (): string[] => seen.map(({ status }) => status)
    expect(await agent.chat('Hi.', inSession)).toBe('Done.')
    await expect.poll(statuses, patiently).toEqual(['done'])
    await expect(agent.chat('Fail.', inSession)).rejects.toThrow()
    await expect.poll(statuses, patiently).toEqual(['done', 'failed'])
    const { runId, approvals } = await agent.stream('Pay.', { ...inSession, resumable: true }).result
    await expect.poll(statuses, patiently).toEqual(['done', 'failed', 'waiting'])
    await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
    await expect.poll(statuses, patiently).toEqual(['done', 'failed', 'waiting', 'done'])
    expect(seen.at(-1)).toMatchObject({ runId, text: 'Paid.' })
  })

  it('is called with runs of a store whose `runs` are an object of a class', async () => {
    const seen: string[] = []
    const office = clerk(['Done.'], { onRunEnd: ({ status }) => void seen.push(status) })
    const { store } = office.open()
    // Nothing is its own field.
    const runs: typeof store.runs = Object.create(store.runs)
    await office.open({ ...store, runs }).agent.chat('Hi.', inSession)
    await expect.poll(() => seen, patiently).toEqual(['done'])
  })

  it('is called while the run waits in its process', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const seen: string[] = []
    const { agent } = clerk([calls('pay 1'), 'Paid.'], { onRunEnd: ({ status }) => void seen.push(status) }).open()
    const run = agent.stream('Pay.', inSession)
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      while (seen.length === 0) await vi.advanceTimersByTimeAsync(limits.noticeMs)
      expect(seen).toEqual(['waiting'])
      run.approve(event.approvalId)
    }
    while (seen.length === 1) await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual(['waiting', 'done'])
  })

  it('is called again after 5 s where it throws, by the same process, which prints why', async () => {
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    let tries = 0
    const onRunEnd = (): void => {
      if (++tries < 3) throw new Error('Not yet.')
    }
    const { agent, store } = clerk(['Done.'], { onRunEnd }).open()
    const { runId } = await agent.stream('Hi.', inSession).result
    while (tries === 0) await vi.advanceTimersByTimeAsync(1)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(tries).toBe(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(tries).toBe(3)
    expect(print.mock.calls.map(([line]) => line)).toEqual(['agentkit: a notice is tried again: Not yet.\n'])
    print.mockRestore()
    expect(await store.runs.background?.undelivered(runId)).toEqual([])
    // Those of the test runner end too: it may be loading a file.
    for (let tries = 0; vi.getTimerCount() > 0 && tries < 100; tries++)
      await vi.advanceTimersByTimeAsync(limits.noticeMs)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is called once the store works again that failed when the run ended, or when its notice was read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    const seen: string[] = []
    const { agent, store } = clerk(['Done.'], { onRunEnd: ({ status }) => void seen.push(status) }).open()
    const { background } = store.runs as BackgroundStore
    const fail = async (): Promise<never> => {
      throw new AgentKitError('storage', 'The disk is full.')
    }
    for (const [status, failing] of [
      ['failed', vi.spyOn(store.runs, 'end')],
      ['done', vi.spyOn(background, 'takeNotices')],
    ] as const) {
      failing.mockImplementation(fail)
      await agent.stream('Hi.', inSession).result
      await vi.advanceTimersByTimeAsync(10_000)
      failing.mockRestore()
      await vi.advanceTimersByTimeAsync(limits.longestEndAgainMs + limits.noticeMs)
      expect(seen.splice(0)).toEqual([status])
    }
    await vi.advanceTimersByTimeAsync(2 * limits.noticeMs)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is called once where the store fails to say so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    const seen: string[] = []
    const { agent, store } = clerk(['Done.'], { onRunEnd: ({ status }) => void seen.push(status) }).open()
    const { background } = store.runs as BackgroundStore
    const settle = vi.spyOn(background, 'settleNotice')
    settle.mockRejectedValueOnce(new AgentKitError('storage', 'The disk is full.'))
    const { runId } = await agent.stream('Hi.', inSession).result
    while (settle.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * limits.noticeLeaseMs })
    await agent.chat('Hi.', inSession)
    await expect.poll(() => background.undelivered(runId), patiently).toEqual([])
    await expect.poll(() => seen, patiently).toEqual(['done', 'done'])
  })

  it('reports what it throws to the worker of its store and process, and prints nothing', async () => {
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    let tries = 0
    const onRunEnd = (): void => {
      tries++
      throw new Error('Not yet.')
    }
    const { agent } = clerk(['Done.', 'Done.'], { onRunEnd }).open()
    const reported: unknown[] = []
    const worker = await workOn([agent], { onError: (error) => reported.push(error) })
    await agent.stream('Hi.', inSession).result
    await expect.poll(() => tries).toBe(1)
    expect(reported).toEqual([new Error('Not yet.')])
    await worker.close()
    expect(print.mock.calls).toEqual([])
    await agent.stream('Hi.', inSession).result
    await expect.poll(() => print.mock.calls.length).toBe(1)
    print.mockRestore()
  })

  it('is called with a run that its process cancels while it waits', async () => {
    const seen: string[] = []
    const office = clerk([calls('pay 1'), 'Paid.'], { onRunEnd: ({ status }) => void seen.push(status) })
    const { agent } = office.open()
    const { runId } = await agent.stream('Pay.', { ...inSession, onApproval: 'end' }).result
    await expect.poll(() => seen).toEqual(['waiting'])
    expect(await agent.cancel(runId)).toBe(true)
    await expect.poll(() => seen).toEqual(['waiting', 'failed'])
    expect(await agent.cancel(runId)).toBe(false)
  })

  it('is called by the next run for one whose process died before', async () => {
    const seen: string[] = []
    const office = clerk(['Done.'], { onRunEnd: ({ runId }) => void seen.push(runId) })
    const first = office.open()
    await first.agent.enqueue('Hi.').then(({ runId }) => first.agent.cancel(runId))
    expect(seen).toEqual([])
    await office.open().agent.chat('Hi.', inSession)
    await expect.poll(() => seen.length, patiently).toBe(2)
  })

  it('is not called for runs that no store has', async () => {
    const seen: string[] = []
    const { agent } = clerk(['Done.'], { onRunEnd: ({ runId }) => void seen.push(runId) }).open()
    await agent.chat('Without a session.')
    await agent.chat('Hi.', inSession)
    await expect.poll(() => seen.length, patiently).toBe(1)
    expect(await agent.runs()).toMatchObject([{ runId: seen[0] }])
  })
})
