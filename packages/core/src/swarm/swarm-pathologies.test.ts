import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { within100ms } from '../__fixtures__/stopped-run.ts'
import { callingThen, eventsOf, lastWords, member, saying, thinking, wordsOf } from '../__fixtures__/team.ts'
import {
  type Agent,
  AgentKitError,
  type Collaboration,
  type Model,
  type RunResult,
  Swarm,
  type Tool,
  tool,
} from '../index.ts'
import { limits } from '../limits.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'

refuseUnhandledRejections()

const base = { name: 'Team', functions: [], retry: { attempts: 1 } }
const never = (): Promise<never> => new Promise(() => {})
const act = (name: string, execute: Tool['execute']): Tool =>
  tool({ name, description: 'Does it.', input: { type: 'object' }, execute })
const handoff = { ...base, collaboration: 'handoff' as const }
const run = (swarm: Swarm, options = {}): Promise<RunResult> => swarm.stream('Go', options).result

it('has members with any name', async () => {
  for (const name of ['Constructor', '__proto__']) {
    const swarm = new Swarm({ ...handoff, agents: [member(name, saying('Built.'), { budget: { tokens: 10_000 } })] })
    expect(await run(swarm)).toMatchObject({ text: 'Built.', finishReason: 'stop' })
  }
})

describe('a conversation that is handed over in a loop', () => {
  /** Hands over to the next member forever, after the calls of `work`. */
  const circle = (size: number, work: (turn: number) => [string, object?][] = () => [], functions: Tool[] = []) => {
    let turns = 0
    const agents = Array.from({ length: size }, (_, index) => {
      const to = `transfer_to_m${(index + 1) % size}`
      let hasWorked = false
      const model = thinking(() => {
        const calls = hasWorked ? [] : work(turns)
        hasWorked = calls.length > 0
        if (hasWorked) return calls
        turns++
        return [[to, { reason: `Because of ${turns}.` }]]
      })
      return member(`m${index}`, model, { functions })
    })
    return { swarm: new Swarm({ ...handoff, agents }), turns: () => turns }
  }
  const search = act('search', () => 'Nothing.')
  let count = 0
  const counting = act('search', () => `Found ${count++}.`)

  it.each<[string, number, ((turn: number) => [string, object?][]) | undefined]>([
    ['two', 2, undefined],
    ['three', 3, undefined],
    ['four', 4, undefined],
    ['two with the same call in between', 2, () => [['search', { for: 'it' }]]],
    ['three with the same call in between', 3, () => [['search', { for: 'it' }]]],
  ])('ends with no-progress: %s', async (_what, size, work) => {
    const { swarm, turns } = circle(size, work, [search])
    const result = await run(swarm)
    expect(result.finishReason).toBe('no-progress')
    expect(result.warnings.at(-1)).toContain('handed the conversation to each other again and again')
    expect(turns()).toBeLessThanOrEqual(size * 6)
  })

  it.each<[string, (turn: number) => [string, object?][], Tool]>([
    ['other calls', (turn) => [['search', { for: turn }]], search],
    ['other results', () => [['search', {}]], counting],
  ])('is bounded when each round does something else: %s', async (_what, work, search) => {
    const { swarm, turns } = circle(2, work, [search])
    const result = await run(swarm)
    expect(result.finishReason).toBe('max-steps')
    expect(result.warnings.at(-1)).toContain('Raise the swarm’s `maxSteps`'.replace('’', "'"))
    expect(turns()).toBe(limits.handoffs)
  })

  it('is bounded for more than four members that do nothing else', async () => {
    expect((await run(circle(7).swarm)).finishReason).toBe('max-steps')
  })
})

describe('a healthy swarm is not stopped', () => {
  it('a pipeline of 30 members that hand over after their work', async () => {
    const agents = Array.from({ length: 31 }, (_, index) => {
      const hand = index < 30 ? [[`transfer_to_m${index + 1}`, {}] as [string, object]] : 'All is done.'
      return member(`m${index}`, saying([['work', {}]], hand), { functions: [act('work', () => 'Done.')] })
    })
    expect(await run(new Swarm({ ...handoff, agents }))).toMatchObject({ finishReason: 'stop', text: 'All is done.' })
  })

  it('two members that take turns at a list of work', async () => {
    let left = 15
    const take = act('take', () => (left > 0 ? `Job ${left--}.` : 'None.'))
    const taker = thinking(({ messages }) => {
      if (wordsOf(messages.at(-1)) === 'None.') return 'All jobs are done.'
      return wordsOf(messages.at(-1)).startsWith('Job') ? [['transfer_to_doer', {}]] : [['take', {}]]
    })
    const agents = [
      member('Taker', taker, { functions: [take] }),
      member('Doer', callingThen([['transfer_to_taker', {}]], 'x'), {}),
    ]
    agents[1] = member('Doer', saying([['transfer_to_taker', {}]]))
    expect(await run(new Swarm({ ...handoff, agents }))).toMatchObject({ text: 'All jobs are done.' })
  })

  it('a manager that gives one member 15 different tasks, or polls it', async () => {
    const parts = Array.from({ length: 15 }, (_, index): [string, object][] => [['ann', { task: `Part ${index}.` }]])
    const same = Array.from({ length: 15 }, (): [string, object][] => [['ann', { task: 'And now?' }]])
    let percent = 0
    const ann = (): Agent =>
      member(
        'Ann',
        thinking(() => `${percent++} %`),
      )
    for (const turns of [parts, same]) {
      const result = await run(new Swarm({ ...base, model: saying(...turns, 'Done.'), agents: [ann()] }))
      expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.' })
    }
  })

  it('parallel members that all answer the same, and a sequence of ten', async () => {
    const agents = Array.from({ length: 10 }, (_, index) => member(`m${index}`, saying('Yes.')))
    for (const collaboration of ['parallel', 'sequence'] as const) {
      const result = await run(new Swarm({ ...base, model: saying('Yes.'), agents, collaboration }))
      expect(result).toMatchObject({ finishReason: 'stop', text: 'Yes.' })
    }
  })
})

describe('a manager', () => {
  it('that repeats a task ends', async () => {
    const model = saying([['ann', { task: 'Again.' }]])
    const result = await run(new Swarm({ ...base, model, agents: [member('Ann', saying('Yes.'))] }))
    expect(result.finishReason).toBe('no-progress')
    expect(model.requests.length).toBeLessThanOrEqual(6)
  })

  it.each([
    ['itself', 'team'],
    ['nobody', 'bob'],
  ])('that calls %s receives the list of members', async (_what, name) => {
    const model = callingThen([[name, { task: 'x' }]], 'Well.')
    const result = await run(new Swarm({ ...base, model, agents: [member('Ann')] }))
    expect(result.text).toBe('Well.')
    expect(lastWords(model.requests[1] ?? { messages: [] })).toContain(`no tool named "${name}". There are: ann.`)
  })

  it('that gives an empty task receives an error', async () => {
    const model = callingThen([['ann', { task: ' ' }]], 'Well.')
    const ann = saying('x')
    await run(new Swarm({ ...base, model, agents: [member('Ann', ann)] }))
    expect(lastWords(model.requests[1] ?? { messages: [] })).toContain('Say in `task` what to do')
    expect(ann.requests).toEqual([])
  })

  it('whose tool runs the swarm itself is bounded by the depth', async () => {
    const model = thinking(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Back.' : [['again', {}]]))
    const again = act('again', () => swarm.chat('Go'))
    const swarm: Swarm = new Swarm({ ...base, functions: [again], model, agents: [member('Ann')] })
    expect(await run(swarm)).toMatchObject({ finishReason: 'stop', text: 'Back.' })
    expect(model.requests.length).toBeLessThanOrEqual(2 * (limits.nestedRuns + 1))
  })

  it('whose member runs the swarm in its own session does not deadlock', async () => {
    const codes: unknown[] = []
    const ask = act('ask', () => swarm.chat('Go', { sessionId: 's' }).catch((error) => codes.push(error.code)))
    const ann = member('Ann', callingThen([['ask', {}]], 'I asked.'), { functions: [ask] })
    const swarm: Swarm = new Swarm({ ...base, model: callingThen([['ann', { task: 'x' }]], 'Done.'), agents: [ann] })
    expect(await swarm.chat('Go', { sessionId: 's' })).toBe('Done.')
    expect(codes).toEqual(['session-busy'])
  })
})

describe('a member', () => {
  const failureOf = async (ann: Agent, options = {}): Promise<{ status: string; reason: string; output?: string }> => {
    const model = callingThen([['ann', { task: 'Try.' }]], 'Well.')
    const result = await run(new Swarm({ ...base, model, agents: [ann] }), options)
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Well.' })
    return JSON.parse(lastWords(model.requests[1] ?? { messages: [] }))
  }
  const ann = (model: Model, options = {}): Agent => member('Ann', model, { retry: { attempts: 1 }, ...options })

  it('that throws, answers nothing or repeats itself has failed, with a reason', async () => {
    const broken = thinking(() => Promise.reject(new Error('out of order')))
    expect(await failureOf(ann(broken))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('out of order'),
    })
    expect(await failureOf(ann(saying(' ')))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('empty'),
    })
    const same = ann(saying([['act', {}]]), { functions: [act('act', () => 'x')] })
    expect(await failureOf(same)).toMatchObject({ status: 'failed', reason: expect.stringContaining('same result') })
    const spent = ann(saying([['act', {}]]), { functions: [act('act', () => 'x')], budget: { modelCalls: 2 } })
    expect(await failureOf(spent)).toMatchObject({ status: 'budget', reason: expect.stringContaining('2 of 2') })
  })

  it('that hangs ends by its own deadline, and the run continues', async () => {
    expect(await failureOf(ann(thinking(never), { timeoutMs: 20 }))).toMatchObject({
      ...{ status: 'failed', reason: expect.stringContaining('20 ms') },
    })
    const hung = ann(saying([['act', {}]]), { functions: [act('act', never)], timeoutMs: 20 })
    expect(await failureOf(hung)).toMatchObject({ status: 'failed' })
  })

  it.each<Collaboration>(['manager', 'parallel', 'sequence', 'handoff', () => 'ann'])(
    'that hangs ends with the run, by its deadline: %s',
    async (collaboration) => {
      const model = callingThen([['ann', { task: 'Try.' }]], 'Well.')
      const swarm = new Swarm({ ...base, model, agents: [ann(thinking(never))], collaboration })
      const { events, result } = await eventsOf(swarm.stream('Go', { timeoutMs: 30 }))
      expect(result).toMatchObject({ finishReason: 'error', error: { code: 'timeout' } })
      // On a busy machine the deadline may be over before the member starts.
      const started = events.filter(({ type }) => type === 'agent-start')
      const ended = events.filter(({ type }) => type === 'agent-end')
      expect(ended).toMatchObject(started.map(() => ({ status: 'failed' })))
    },
  )

  it('that answers without end has failed, and its manager stays within its window', async () => {
    const flood = ann(thinking(() => 'x'.repeat(10_000_000)))
    const { status, output = '' } = await failureOf(flood)
    expect(status).toBe('failed')
    expect(output.length).toBeLessThan(10_000)
  })

  const info = { contextWindow: 20_000, maxOutputTokens: 1_000 }
  /** Fails when a request does not fit, as providers do. */
  const small = (...turns: Parameters<typeof saying>) => {
    const model = saying(...turns)
    const { stream } = model
    const problems: number[] = []
    return Object.assign(model, {
      info,
      problems,
      stream(request: Parameters<Model['stream']>[0], signal: AbortSignal) {
        const tokens = estimateRequest(request, info)
        if (tokens > info.contextWindow) problems.push(tokens)
        return stream(request, signal)
      },
    })
  }
  const long = 'All of it, word by word. '.repeat(60_000)

  it('with a long answer leaves room in the windows of its manager and of the next member', async () => {
    const manager = small([['ann', { task: 'x' }]], 'Done.')
    expect(await run(new Swarm({ ...base, model: manager, agents: [ann(saying(long))] }))).toMatchObject({
      text: 'Done.',
    })
    expect(manager.problems).toEqual([])
    for (const collaboration of [
      'sequence',
      ({ answers }: { answers: readonly unknown[] }) => ['ann', 'bob', 'cas'][answers.length],
    ] as const) {
      const bob = small('Bob has read it.')
      const agents = [ann(saying(long)), member('Bob', bob), member('Cas', small(long))]
      const result = await run(new Swarm({ ...base, agents, collaboration }))
      expect(result.error).toBeUndefined()
      expect(result.text).toBe(long)
      expect(bob.problems).toEqual([])
      expect(lastWords(bob.requests[0] ?? { messages: [] })).toContain('Go\n\nAnn has answered:\nAll of it')
    }
  })
})

describe('a transfer', () => {
  const swarmOf = (...turns: Parameters<typeof saying>) => {
    const done: string[] = []
    const work = act('work', () => {
      done.push('worked')
      return 'Worked.'
    })
    const model = saying(...turns)
    const agents = [member('Desk', model, { functions: [work] }), member('Ann', saying('I am Ann.')), member('Bob')]
    return { swarm: new Swarm({ ...handoff, agents }), model, done }
  }

  it('to an unknown agent is an error with the known ones', async () => {
    const { swarm, model } = swarmOf([['transfer_to_cas', {}]], 'I stay.')
    expect(await run(swarm)).toMatchObject({ text: 'I stay.' })
    expect(lastWords(model.requests[1] ?? { messages: [] })).toContain(
      'There are: work, transfer_to_ann, transfer_to_bob.',
    )
  })

  it('to the active agent itself does not exist', async () => {
    const { swarm, model } = swarmOf([['transfer_to_desk', {}]], 'I stay.')
    expect(await run(swarm)).toMatchObject({ text: 'I stay.' })
    expect(model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('transfer_to_desk')
  })

  it('goes to the first of two in one step, and the other calls of the step are executed', async () => {
    const calls: [string, object][] = [
      ['work', {}],
      ['transfer_to_ann', {}],
      ['transfer_to_bob', {}],
    ]
    const { swarm, done } = swarmOf(calls)
    const result = await run(swarm)
    expect(result).toMatchObject({ text: 'I am Ann.', finishReason: 'stop' })
    expect(done).toEqual(['worked'])
    expect(result.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      {},
      {},
      { isError: true, content: expect.stringContaining('already handed over to ann') },
    ])
  })
})

describe('a routing function', () => {
  const routed = (collaboration: Collaboration, ann: Model = saying('Yes.'), options = {}) =>
    new Swarm({ ...base, agents: [member('Ann', ann), member('Bob')], collaboration, ...options })

  it('that never ends is stopped, by no-progress or max-steps', async () => {
    expect((await run(routed(() => 'ann'))).finishReason).toBe('no-progress')
    expect((await run(routed(() => ({ agent: 'ann', task: 'x' })))).finishReason).toBe('no-progress')
    let count = 0
    const other = thinking(() => `Answer ${count++}.`)
    const result = await run(routed(() => ({ agent: 'ann', task: 'x' }), other))
    expect(result).toMatchObject({ finishReason: 'max-steps' })
    expect(count).toBe(limits.maxSteps)
  })

  it('that throws ends the run with `tool-error` and the cause', async () => {
    const cause = new Error('No idea.')
    const route = (): never => {
      throw cause
    }
    const { finishReason, error } = await run(routed(route))
    expect([finishReason, error?.code, error?.cause]).toEqual(['error', 'tool-error', cause])
    expect(error?.message).toBe("The swarm's `collaboration` function failed: No idea.")
  })

  it('that throws an AgentKitError ends the run with it', async () => {
    const route = (): never => {
      throw new AgentKitError('rate-limit', 'Later.')
    }
    expect((await run(routed(route))).error).toMatchObject({ code: 'rate-limit', message: 'Later.' })
  })

  const nothingFirst =
    'returned nothing at its first call, so no member has answered. Return the id of a member ("ann", "bob"), { agent, task }'

  it.each<[string, unknown, string]>([
    ['returns nothing at its first call', undefined, nothingFirst],
    ['returns null at its first call', null, nothingFirst],
    ['returns an empty list at its first call', [], nothingFirst],
    ['returns an unknown id', 'cas', 'named "cas", which is not a member. There are: "ann", "bob".'],
    ['returns a list with undefined', [undefined], 'which is not a member'],
    ['returns a number', 42, 'returned 42, which is not a member'],
    ['misspells `agent`', { agnt: 'ann' }, 'returned an object without the id `agent` (it has: agnt), which is not'],
    ['gives no task', { agent: 'ann', task: '' }, 'gave "ann" no task'],
  ])('that %s ends the run in an error that says so', async (_what, next, words) => {
    const result = await run(routed(() => next as never))
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'invalid-config' } })
    expect(result.error?.message).toContain(words)
  })

  it('that hangs ends with the run', async () => {
    const controller = new AbortController()
    const result = run(routed(never), { signal: controller.signal })
    setTimeout(() => controller.abort(), 10)
    await new Promise((resolve) => setTimeout(resolve, 15))
    expect(await within100ms(result)).toMatchObject({ finishReason: 'aborted' })
    expect((await run(routed(never), { timeoutMs: 20 })).error?.code).toBe('timeout')
  })

  it('receives the answers of members, and nothing else', async () => {
    const seen: string[] = []
    const route: Collaboration = ({ answers }) => {
      seen.push(answers.at(-1)?.text ?? '')
      return answers.length < 5 ? { agent: 'ann', task: 'x' } : undefined
    }
    expect(await run(routed(route))).toMatchObject({ finishReason: 'stop', text: 'Yes.' })
    expect(new Set(seen)).toEqual(new Set(['', 'Yes.']))
  })
})
