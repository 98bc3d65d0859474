import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { mortalProcess } from '../__fixtures__/mortal-process.ts'
import { calls, payer } from '../__fixtures__/payer.ts'
import { Agent, type AgentEvent, type Model, tool } from '../index.ts'
import { follow } from './follow.ts'

const resumable = { userId: 'ann', sessionId: 's', resumable: true }

describe('the events of a resumable run', () => {
  it('are stored as its reader receives them, and followed while it runs', async () => {
    const { store } = memoryDisk().open()
    const { agent } = payer([calls('look 1'), 'Seen.'], { store })
    const run = agent.stream('Look.', resumable)
    const live = await Array.fromAsync(run)
    expect(await Array.fromAsync(follow(store, run.runId))).toEqual(live)
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index + 1))
    expect(await Array.fromAsync(follow(store, run.runId, { after: 4 }))).toEqual(live.slice(4))
  })

  it('reach a follower of another process, who began before them', async () => {
    const { store } = memoryDisk().open()
    const { agent } = payer([calls('look 1'), 'Seen.'], { store })
    const run = agent.stream('Look.', resumable)
    const result = run.result
    await expect.poll(() => store.runs.read(run.runId)).toBeDefined()
    const events = await Array.fromAsync(
      follow({ ...store, runs: { ...store.runs, watch: () => () => {} } }, run.runId),
    )
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop', text: (await result).text })
  })

  it('are read once for all followers of a process, each of whom has events of their own', async () => {
    const { store } = memoryDisk().open()
    const { agent } = payer([calls('look 1'), 'Seen.'], { store })
    const { runId } = await agent.stream('Look.', resumable).result
    let reads = 0
    const events: typeof store.runs.events = (...page) => {
      reads++
      return store.runs.events(...page)
    }
    const counted = { ...store, runs: { ...store.runs, events } }
    const followers = await Promise.all(Array.from({ length: 50 }, () => Array.fromAsync(follow(counted, runId))))
    const [first, ...others] = followers
    for (const other of others) expect(other).toEqual(first)
    expect(new Set(followers.map(([event]) => event)).size).toBe(50)
    expect(reads).toBeLessThanOrEqual(4)
  })

  it('are read once more for each change, while the run continues', async () => {
    const { store } = memoryDisk().open()
    const { agent } = payer(['Seen.'], { store })
    const { runId } = await agent.stream('Look.', resumable).result
    const all = await store.runs.events(runId, 0, 100)
    let [stored, isDone, reads] = [1, false, 0]
    let change = (): void => {}
    const runs: typeof store.runs = {
      ...store.runs,
      hearsOthers: true,
      watch: (_, listener) => {
        change = listener
        return () => {}
      },
      async events(_, after) {
        reads++
        return all.slice(after, stored)
      },
      async read(id) {
        reads++
        const found = await store.runs.read(id)
        return found && { ...found, record: { ...found.record, status: isDone ? 'done' : 'running' } }
      },
    }
    const seen: AgentEvent[] = []
    const following = (async () => {
      for await (const event of follow({ ...store, runs }, runId)) seen.push(event)
    })()
    await expect.poll(() => reads).toBe(4)
    while (stored < all.length - 1) {
      stored++
      const before = reads
      change()
      await expect.poll(() => seen.length).toBe(stored)
      expect(reads).toBe(before + 1)
    }
    ;[stored, isDone] = [all.length, true]
    change()
    await following
    expect(seen).toEqual(all)
  })

  it('rise over the decision on an approval, which begins the next segment', async () => {
    const { store } = memoryDisk().open()
    const { agent } = payer([calls('pay 1'), 'Paid.'], { store })
    const { runId, approvals } = await agent.stream('Pay.', { ...resumable, onApproval: 'end' }).result
    const following = Array.fromAsync(follow(store, runId))
    await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
    const events = await following
    const ends = events.filter(({ type }) => type === 'run-end')
    expect(ends).toMatchObject([{ finishReason: 'approval' }, { finishReason: 'stop' }])
    expect(events.filter(({ type }) => type === 'run-start' || type === 'approval-request')).toHaveLength(3)
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length)
  })

  it.each([2, 3, 4, 5, 6, 7])(
    'continue after a crash at write %i: each finished call and step once',
    async (number) => {
      const disk = memoryDisk()
      const process = mortalProcess(disk, { number, hasEffect: true })
      const first = payer([calls('look 1'), 'Seen.'], { store: process.store })
      const run = first.agent.stream('Look.', resumable)
      const seen: AgentEvent[] = []
      const reading = (async () => {
        for await (const event of run) seen.push(event)
      })()
      await Promise.race([process.died, reading])
      const { store } = disk.open()
      const turns = (await store.turns({ agentId: 'payer', userId: 'ann', sessionId: 's' }))[0]?.messages ?? []
      const steps = turns.filter(({ role }) => role === 'assistant').length
      const rest = [calls('look 1'), 'Seen.'].slice(steps)
      const second = payer(rest, { store })
      const { approvals } = await second.agent.continueRun(run.runId).result
      for (const { approvalId } of approvals) {
        await second.agent.resume(run.runId, { [approvalId]: { result: 'seen' } }).result
      }
      const events = await Array.fromAsync(follow(store, run.runId))
      const restart = events.find(({ type }) => type === 'step-restart')
      if (restart) expect(restart).toMatchObject({ error: { code: 'crashed' } })
      const count = (type: string): number => events.filter((event) => event.type === type).length
      const segments = 1 + approvals.length
      expect([count('run-start'), count('run-end')]).toEqual([segments, segments])
      expect([count('step-end'), count('tool-result')]).toEqual([2, 1])
      // No number stands for two events.
      for (const event of events) {
        const same = seen.find(({ seq }) => seq === event.seq)
        if (same) expect(event).toEqual(same)
      }
    },
  )
})

it('have numbers above all that a reader has received when another process continues the run', async () => {
  const disk = memoryDisk()
  const process = mortalProcess(disk, { number: 2, hasEffect: false })
  const model: Model = {
    id: 'test/talks',
    async *stream() {
      for (let word = 0; word < 20; word++) yield { type: 'text-delta', text: 'word ' }
      await new Promise(() => {})
    },
  }
  const agent = new Agent({ name: 'Payer', functions: [], model, sessions: process.store })
  const run = agent.stream('Talk.', resumable)
  let last = 0
  void (async () => {
    for await (const { seq } of run) last = seq
  })()
  await process.died
  await expect.poll(() => last).toBe(22)
  const { store } = disk.open()
  await payer(['Done.'], { store }).agent.continueRun(run.runId).result
  const events = await Array.fromAsync(follow(store, run.runId, { after: last }))
  // Nothing of the first process was stored: the segment begins again.
  expect(events.map(({ type }) => type)).toContain('run-start')
  expect(events.at(-1)).toMatchObject({ type: 'run-end', text: 'Done.' })
})

it('are not emitted again by the process that continues the run', async () => {
  const disk = memoryDisk()
  const first = disk.open()
  const script = payer([calls('look 1')], { store: first.store }).model
  const model: Model = {
    id: 'test/stops',
    async *stream(request, signal) {
      if (request.messages.length > 1) await new Promise(() => {})
      yield* script.stream(request, signal)
    },
  }
  const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
  const agent = new Agent({ name: 'Payer', functions: [look], model, sessions: first.store })
  const run = agent.stream('Look.', resumable)
  void run.result
  const isInStep2 = async (): Promise<boolean> => {
    const events = await first.store.runs.events(run.runId, 0, 100)
    return events.some((event) => event.type === 'step-start' && event.step === 2)
  }
  await expect.poll(isInStep2).toBe(true)
  first.kill()
  const { store } = disk.open()
  await payer(['Done.'], { store }).agent.continueRun(run.runId).result
  const types = (await Array.fromAsync(follow(store, run.runId))).map(({ type }) => type)
  expect(types.filter((type) => type === 'tool-result' || type === 'step-start' || type === 'step-restart')).toEqual([
    ...['step-start', 'tool-result', 'step-start', 'step-restart'],
  ])
  expect(types.filter((type) => type === 'step-end')).toHaveLength(2)
})

it('are not kept of other runs', async () => {
  const { store } = memoryDisk().open()
  const { runId } = await payer(['Hello.'], { store }).agent.stream('Hi.', { userId: 'ann', sessionId: 's' }).result
  await expect(Array.fromAsync(follow(store, runId))).rejects.toMatchObject({ code: 'not-found' })
})
