import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Agent, type AgentEvent, type AgentRun, type RunOptions, Swarm, type ToolContext, tool } from '../../index.ts'
import { askPerson } from './running-call.ts'

type Request = Extract<AgentEvent, { type: 'approval-request' }>

const asking = tool({
  name: 'book',
  description: 'Books a room, and asks first.',
  input: { type: 'object', properties: {} },
  async execute(_, context) {
    const decision = await askPerson(context, { message: 'Book it?' })
    return JSON.stringify(decision ?? 'not asked')
  },
})

const turns = () => [{ toolCalls: [{ name: 'book', input: {} }] }, 'Done.']

function booker(options: Partial<ConstructorParameters<typeof Agent>[0]> = {}) {
  return new Agent({ name: 'Booker', functions: [asking], model: scriptedModel(turns()), ...options })
}

async function follow(run: AgentRun, decide: (request: Request, run: AgentRun) => unknown) {
  const events: AgentEvent[] = []
  for await (const event of run) {
    events.push(event)
    if (event.type === 'approval-request') await decide(event, run)
  }
  const result = await run.result
  const answer = result.messages.find(({ role }) => role === 'tool')?.content
  return { events, result, answer }
}

describe('a call that asks while it runs', () => {
  it.each([
    ['approve', 'true'],
    ['deny', '{"deny":"Too late."}'],
  ] as const)('receives what the reader decides: %s', async (verb, expected) => {
    const { events, result, answer } = await follow(booker().stream('Book'), ({ approvalId }, run) => {
      if (verb === 'approve') run.approve(approvalId)
      else run.deny(approvalId, 'Too late.')
    })
    expect(answer).toBe(expected)
    expect(result).toMatchObject({ finishReason: 'stop', approvals: [] })
    const request = events.find((event) => event.type === 'approval-request')
    const input = { message: 'Book it?' }
    expect(request).toMatchObject({ kind: 'approval', name: 'book', input, path: ['booker'] })
    expect(request?.approvalId).toMatch(/^apr_\w{22}$/)
    expect(request?.callId).toBe(events.find((event) => event.type === 'tool-call')?.callId)
  })

  it.each<[string, (agent: Agent) => AgentRun]>([
    ['is not iterated', (agent) => agent.stream('Book')],
    ['ends with its approvals', (agent) => agent.stream('Book', { onApproval: 'end' })],
  ])('asks no person in a run that %s', async (what, start) => {
    const run = start(booker() as Agent)
    const { messages, finishReason } =
      what === 'is not iterated' ? await run.result : (await follow(run, () => {})).result
    expect(finishReason).toBe('stop')
    expect(messages.find(({ role }) => role === 'tool')?.content).toBe('"not asked"')
  })

  it('has other ids for each question and for the approval of the call itself', async () => {
    const twice = tool({
      ...{ name: 'book', description: 'Asks twice.', input: { type: 'object', properties: {} }, needsApproval: true },
      async execute(_, context) {
        return (await Promise.all([askPerson(context, 1), askPerson(context, 2)])).join()
      },
    })
    const ids = new Set<string>()
    const { answer } = await follow(booker({ functions: [twice] }).stream('Book'), ({ approvalId }, run) => {
      ids.add(approvalId)
      run.approve(approvalId)
    })
    expect(answer).toBe('true,true')
    expect(ids.size).toBe(3)
  })

  it.each<[string, RunOptions | undefined]>([
    ['a run that is cancelled', undefined],
    ['a signal that aborts', { signal: new AbortController().signal }],
  ])('ends with %s', async (_, options) => {
    const controller = new AbortController()
    const run = booker().stream('Book', options && { signal: controller.signal })
    const { result } = await follow(run, (_request, own) => {
      if (options) controller.abort()
      else own.cancel()
    })
    expect(result.finishReason).toBe('aborted')
  })

  it('ends when the reader leaves', async () => {
    const run = booker().stream('Book')
    for await (const { type } of run) if (type === 'approval-request') break
    const { finishReason, approvals } = await run.result
    expect([finishReason, approvals]).toEqual(['aborted', []])
  })

  it('asks no longer once it has ended', async () => {
    vi.useFakeTimers()
    const careless = tool({
      ...{ name: 'book', description: 'Does not wait.', input: { type: 'object', properties: {} } },
      execute(_, context) {
        askPerson(context, 'Book it?').catch(() => {})
        return 'booked'
      },
    })
    const model = scriptedModel([turns()[0] ?? '', () => new Promise(() => {})])
    const run = booker({ functions: [careless], model, timeoutMs: 100 }).stream('Book')
    for await (const { type } of run) if (type === 'tool-result') void vi.advanceTimersByTimeAsync(100)
    const result = await run.result
    vi.useRealTimers()
    expect(result.error).toMatchObject({ code: 'timeout', phase: 'run' })
  })

  it('asks no person after it has ended, and keeps nothing of its run', async () => {
    let ended: ToolContext | undefined
    const keeping = tool({
      ...{ name: 'book', description: 'Keeps its context.', input: { type: 'object', properties: {} } },
      execute(_, context) {
        ended = context
        return 'booked'
      },
    })
    const late: unknown[] = []
    for await (const { type } of booker({ functions: [keeping] }).stream('Book')) {
      if (type === 'tool-result') late.push(await askPerson(ended as ToolContext, 'Book it?'))
      expect(type).not.toBe('approval-request')
    }
    expect(late).toEqual([undefined])
  })

  it('cannot be decided once it has ended', async () => {
    const { events } = await follow(booker().stream('Book'), async ({ approvalId }, run) => {
      run.approve(approvalId)
      expect(() => run.approve(approvalId)).toThrow(expect.objectContaining({ code: 'session-conflict' }))
    })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop' })
  })
})

describe('the time that a person takes', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** The person takes an hour. */
  const later = async ({ approvalId }: Request, run: AgentRun): Promise<void> => {
    await vi.advanceTimersByTimeAsync(3_600_000)
    run.approve(approvalId)
  }

  it.each<[string, object]>([
    ['time of the tool', { toolTimeoutMs: 1000 }],
    ['deadline of the run', { timeoutMs: 1000 }],
    ['budget of seconds', { budget: { seconds: 1 } }],
  ])('is not part of the %s, which runs on afterwards', async (_, options) => {
    expect((await follow(booker(options).stream('Book'), later)).answer).toBe('true')
    const slow = tool({
      ...{ name: 'book', description: 'Asks, and never ends.', input: { type: 'object', properties: {} } },
      async execute(_input, context) {
        await askPerson(context, 'Book it?')
        void vi.advanceTimersByTimeAsync(1000)
        return new Promise(() => {})
      },
    })
    const { answer, result } = await follow(booker({ functions: [slow], ...options }).stream('Book'), later)
    expect(`${answer} ${result.error?.message} ${result.finishReason}`).toMatch(/within 1000 ms|budget/)
  })

  it.each(['manager', 'handoff'] as const)(
    'is not part of the deadlines around it in a swarm: %s',
    async (collaboration) => {
      const limits = { timeoutMs: 1000, budget: { seconds: 1 }, toolTimeoutMs: 1000 }
      const toBooker = { toolCalls: [{ name: 'booker', input: { task: 'Book.' } }] }
      const swarm = new Swarm({
        ...{ name: 'Hotel', agents: [booker(limits)], collaboration, ...limits },
        model: scriptedModel(collaboration === 'manager' ? [toBooker, 'Booked.'] : []),
      })
      let path: readonly string[] = []
      const { result } = await follow(swarm.stream('Book'), (request, run) => {
        path = request.path
        return later(request, run)
      })
      expect(result).toMatchObject({ finishReason: 'stop' })
      expect(path).toEqual(['hotel', 'booker'])
    },
  )
})
