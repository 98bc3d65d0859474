import { describe, expect, it, vi } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { within100ms } from '../__fixtures__/stopped-run.ts'
import { eventsOf, linesOf, member, saying, thinking } from '../__fixtures__/team.ts'
import { type AgentEvent, type AgentRun, Swarm, type Workflow, workflow } from '../index.ts'

refuseUnhandledRejections()

/** Models and functions that have started and were not aborted. */
type Running = Set<AbortSignal>

/** A workflow with every kind of step, three deep, that records what is running. */
function richFlow(running: Running): Workflow<string, string> {
  const during = async <Value>(signal: AbortSignal, value: Value): Promise<Value> => {
    running.add(signal)
    await new Promise((resolve) => setTimeout(resolve, 1))
    running.delete(signal)
    return value
  }
  const ann = member(
    'Ann',
    thinking((_request, signal) => during(signal, 'Ann has answered.')),
  )
  const boss = saying([['ann', { task: 'Go.' }]], 'The team has answered.')
  const innermost = workflow({ name: 'Innermost' })
    .parallel([ann, (text, { signal }) => during(signal, text)])
    .step((texts) => texts.join(' '))
  const inner = workflow({ name: 'Inner' })
    .loop(innermost, { maxIterations: 2 })
    .branch((text) => text !== '', ann)
  return workflow({ name: 'Outer' })
    .step((text, { signal }) => during(signal, text))
    .parallel({ inner, team: new Swarm({ name: 'Team', agents: [ann], model: boss }) })
    .step(({ inner, team }) => ann.chat(`${inner} ${team}`))
}

const ways: Record<string, (run: AgentRun<unknown>, controller: AbortController) => 'leave' | undefined> = {
  'its signal'(_run, controller) {
    controller.abort()
    return undefined
  },
  'cancel()'(run) {
    run.cancel()
    return undefined
  },
  'leaving the loop': () => 'leave',
}

describe('a step that is a function', () => {
  const failing = member(
    'Bob',
    thinking(() => {
      throw new Error('Down.')
    }),
  )

  it('ends the runs and the work that it has started when it fails', async () => {
    const aborted: string[] = []
    const ann = member(
      'Ann',
      thinking((_request, signal) => {
        signal.addEventListener('abort', () => aborted.push('Ann'))
        return new Promise<string>(() => {})
      }),
    )
    const flow = workflow<string[]>({ name: 'Each' }).step('each', (items, { signal }) => {
      signal.addEventListener('abort', () => aborted.push('its signal'))
      const isLast = (item: string): boolean => item === items.at(-1)
      return Promise.all(items.map((item) => (isLast(item) ? failing : ann).chat(item)))
    })
    const { finishReason, error, usage } = await flow.stream(['a', 'b', 'c']).result
    expect([finishReason, error?.message]).toEqual(['error', expect.stringContaining('Down.')])
    await vi.waitFor(() => expect(aborted.toSorted()).toEqual(['Ann', 'Ann', 'its signal']))
    // The calls had begun: they may be billed.
    expect(usage.estimated).toBe(true)
  })
})

describe('a workflow with every kind of step', () => {
  it('emits these events when it is not aborted', async () => {
    const { events, result } = await eventsOf(richFlow(new Set()).stream('Go'))
    expect(result).toMatchObject({ finishReason: 'stop', output: 'Ann has answered.' })
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const lines = linesOf(events)
    expect(lines).toContain('outer/inner/innermost/ann text-delta Ann has answered.')
    expect(lines).toContain('outer/team/ann text-delta Ann has answered.')
    expect(lines.filter((line) => line.includes('run-'))).toEqual(['outer run-start', 'outer run-end stop'])
    expect(result.usage).toMatchObject({ inputTokens: 70, outputTokens: 35 })
  })

  it.each(Object.entries(ways))('settles at once when it is aborted by %s, after any event', async (_name, stop) => {
    const { events } = await eventsOf(richFlow(new Set()).stream('Go'))
    for (const { seq } of events) {
      const running: Running = new Set()
      const controller = new AbortController()
      const run = richFlow(running).stream('Go', { signal: controller.signal })
      const received: AgentEvent[] = []
      const reading = (async () => {
        for await (const event of run) {
          received.push(event)
          if (event.seq === seq && stop(run, controller) === 'leave') break
        }
      })()
      while (received.length < seq) await new Promise((resolve) => setImmediate(resolve))
      const { finishReason } = await within100ms(run.result)
      await within100ms(reading)
      const where = `after event ${seq}, a ${received.at(-1)?.type}`
      expect(['aborted', 'stop'], where).toContain(finishReason)
      expect(
        [...running].filter((signal) => !signal.aborted),
        where,
      ).toEqual([])
      if (received.at(-1)?.type === 'run-end')
        expect(
          received.filter(({ type }) => type === 'run-end'),
          where,
        ).toHaveLength(1)
    }
  })
})

describe('a function that hangs', () => {
  it('does not delay an aborted run, and receives the reason', async () => {
    const controller = new AbortController()
    const seen: AbortSignal[] = []
    const flow = workflow().parallel([
      (_text, { signal }) => {
        seen.push(signal)
        return new Promise(() => {})
      },
      workflow({ name: 'Inner' }).step(() => new Promise(() => {})),
    ])
    const run = flow.run('Go', { signal: controller.signal })
    setTimeout(() => controller.abort('enough'), 20)
    await expect(run).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    expect(seen.map(({ reason }) => reason)).toEqual(['enough'])
  })

  it('is ended by a deadline of the run, the workflow or a nested workflow', async () => {
    const hang = () => new Promise<string>(() => {})
    const timeout = { code: 'timeout', phase: 'run' }
    await expect(workflow().step(hang).run('Go', { timeoutMs: 20 })).rejects.toMatchObject(timeout)
    await expect(workflow({ timeoutMs: 20 }).step(hang).run('Go')).rejects.toMatchObject(timeout)
    const inner = workflow({ name: 'Inner', timeoutMs: 20 }).step(hang)
    await expect(workflow().step(inner).run('Go')).rejects.toMatchObject(timeout)
  })

  it('starts nothing when it continues after the run has ended', async () => {
    let go = (): void => {}
    let outcome: unknown
    const model = saying('Never.')
    const flow = workflow().step(async () => {
      await new Promise<void>((resolve) => (go = resolve))
      outcome = await member('Ann', model)
        .chat('Go')
        .catch((error) => error.code)
      return 'late'
    })
    await expect(flow.run('Go', { timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' })
    go()
    await vi.waitFor(() => expect(outcome).toBe('timeout'), 60_000)
    expect(model.requests).toHaveLength(0)
  })
})
