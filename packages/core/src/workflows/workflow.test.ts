import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventsOf, lastWords, linesOf, member, paying, saying, thinking, wordsOf } from '../__fixtures__/team.ts'
import { AgentKitError, memorySessions, Swarm, type Work, workflow } from '../index.ts'

const broken = thinking(() => {
  throw new AgentKitError('quota', 'Out of credit.', { provider: 'test', retryable: false })
})
const echo = thinking((request) => `<${lastWords(request)}>`)

describe('a workflow', () => {
  it('runs its steps in order, each on the value of the previous one', async () => {
    const flow = workflow<{ city: string }>({ name: 'Trip' })
      .step(({ city }) => `Weather in ${city}?`)
      .step(member('Ann', echo))
      .step(async (text, { input, userId, sessionId, runId }) => ({ text, input, userId, sessionId, runId }))
    const run = flow.stream({ city: 'Oslo' }, { userId: 'u', sessionId: 's' })
    const { events, result } = await eventsOf(run)
    const output = {
      ...{ text: '<Weather in Oslo?>', input: { city: 'Oslo' } },
      ...{ userId: 'u', sessionId: 's', runId: run.runId },
    }
    expect(result).toMatchObject({ finishReason: 'stop', output, text: JSON.stringify(output), warnings: [] })
    expect(result.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    expect(linesOf(events)).toEqual([
      ...['trip run-start', 'trip/ann agent-start', 'trip/ann step-start', 'trip/ann text-delta <Weather in Oslo?>'],
      ...['trip/ann step-end', 'trip/ann agent-end done', `trip text-delta ${JSON.stringify(output)}`],
      'trip run-end stop',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.at(-1)).toMatchObject({ output, usage: result.usage })
    expect(await flow.run({ city: 'Rome' })).toMatchObject({ text: '<Weather in Rome?>' })
  })

  it('is immutable', async () => {
    const first = workflow().step((text) => text.length)
    const second = first.step((count) => count * 2)
    expect(await first.run('four')).toBe(4)
    expect(await second.run('four')).toBe(8)
    expect(await workflow().run('as it is')).toBe('as it is')
  })

  it('passes values of every kind between steps, and emits them as plain data', async () => {
    const circle: { self?: unknown; big: bigint } = { big: 1n }
    circle.self = circle
    const run = workflow()
      .step(() => new Map([['a', 1]]))
      .step((map) => Object.assign(circle, { map }))
      .stream('Go')
    const { events, result } = await eventsOf(run)
    expect(result.output).toBe(circle)
    expect(events.at(-1)).toMatchObject({ output: { big: '1', self: '[circular]' } })
    expect(
      await workflow()
        .step(() => {})
        .run('Go'),
    ).toBeUndefined()
  })

  it('sends text and parts to agents as they are, other values as JSON, or the return value of `ask`', async () => {
    const model = thinking(() => 'Seen.')
    const ann = member('Ann', model)
    await workflow<{ n: number }>().step(ann).run({ n: 1 })
    await workflow<{ n: number }>()
      .step(ann, { ask: ({ n }, { input }) => `${n} ${input.n}` })
      .run({ n: 2 })
    await workflow<object[]>()
      .step(ann)
      .run([{ type: 'image', url: 'https://a.b/c.png' }])
    await workflow<object[]>()
      .step(ann)
      .run([{ type: 'text', text: 'row', page: 1 }])
    await workflow<object>()
      .step(ann)
      .run({ tags: new Set(['a']), counts: new Map([['b', 2]]) })
    const sent = model.requests.map(({ messages }) => messages.at(-1)?.content)
    expect(sent).toEqual([
      ...['{"n":1}', '2 2', [{ type: 'image', url: 'https://a.b/c.png' }]],
      ...['[{"type":"text","text":"row","page":1}]', '{"tags":["a"],"counts":{"b":2}}'],
    ])
  })

  it('passes on the output of an agent that has one', async () => {
    const judge = member('Judge', saying('{"good":true}'), { output: z.object({ good: z.boolean() }) as never })
    expect(await workflow().step(judge).run('Go')).toEqual({ good: true })
    const blocked = member('Judge', saying('{"good":true}'), {
      output: z.object({ good: z.boolean() }) as never,
      hooks: { output: () => ({ block: 'Not that.' }) },
    })
    const error = { code: 'content-filter', message: expect.stringContaining('Not that.') }
    await expect(workflow().step(blocked).run('Go')).rejects.toMatchObject(error)
  })

  it('runs swarms, whose members emit into its stream', async () => {
    const agents = [member('Ann', saying('A.')), member('Bob', saying('B.'))]
    const team = new Swarm({ name: 'Team', agents, collaboration: 'sequence' })
    const { events, result } = await eventsOf(workflow().step(team).stream('Go'))
    expect(result).toMatchObject({ output: 'B.', usage: { inputTokens: 20 } })
    expect(linesOf(events)).toContain('workflow/team/ann text-delta A.')
    expect(linesOf(events).filter((line) => line.includes('run-'))).toHaveLength(2)
  })

  it('nests to any depth, with each id in the path', async () => {
    const bound = (name: string, work: Work<string>) => workflow({ name }).step(work as (text: string) => string)
    const inner = bound('Three', member('Ann', echo)).parallel([(text) => text, member('Bob', echo)])
    const flow = bound('One', bound('Two', inner.step((texts) => texts.join(' ')) as never))
    const { events, result } = await eventsOf(flow.stream('x'))
    expect(result).toMatchObject({ output: '<x> <<x>>', usage: { inputTokens: 20, outputTokens: 10 } })
    expect(linesOf(events)).toContain('one/two/three/bob text-delta <<x>>')
    expect(linesOf(events).filter((line) => line.includes('three agent-'))).toEqual([
      'one/two/three agent-start',
      'one/two/three agent-end done',
    ])
    let deep = bound('Deepest', member('Ann', echo))
    for (let depth = 0; depth < 10; depth++) deep = bound(`W${depth}`, deep)
    expect(await deep.run('x')).toBe('<x>')
    expect(
      await workflow()
        .step(workflow().step(() => {}))
        .run('x'),
    ).toBeUndefined()
  })

  it('fails when it runs itself recursively', async () => {
    let runs = 0
    const flow = workflow().step(async (text): Promise<string> => {
      runs++
      return flow.run(text)
    })
    await expect(flow.run('x')).rejects.toMatchObject({ code: 'max-steps' })
    expect(runs).toBeLessThan(10)
  })

  it('is an agent for swarms and servers if its input is text', async () => {
    const flow = workflow({ name: 'Flow', samplePrompts: ['Try'] }).step(member('Ann', echo))
    const agent = flow.asAgent()
    expect(await agent.chat('Hi')).toBe('<Hi>')
    expect(agent).toMatchObject({ id: 'flow', samplePrompts: ['Try'], models: [echo] })
    const sessions = memorySessions()
    const swarm = new Swarm({ name: 'Team', agents: [agent], collaboration: 'sequence', sessions })
    const { events, result } = await eventsOf(swarm.stream('Hi', { sessionId: 's' }))
    expect(result.text).toBe('<Hi>')
    expect(linesOf(events)).toContain('team/flow/ann text-delta <Hi>')
    expect(() => new Swarm({ name: 'Team', agents: [workflow().step(swarm).asAgent()] }).addAgent(swarm)).toThrow(
      'Pass',
    )
    expect(() => swarm.addAgent(workflow().step(swarm).asAgent())).toThrow('cannot be a member of itself')
    const memberKey = { agentId: 'team/flow/ann', userId: 'default', sessionId: 's' }
    expect(await sessions.load(memberKey)).toBeDefined()
    await swarm.sessions.delete({ ...memberKey, agentId: 'team' })
    expect(await sessions.load(memberKey)).toBeUndefined()
  })

  it('stores its conversation in its session, and the turns of each agent in a member session', async () => {
    const sessions = memorySessions()
    const flow = workflow({ name: 'Flow', sessions }).step(workflow({ name: 'Inner' }).step(member('Ann', echo)))
    await flow.run('One', { sessionId: 's' })
    await flow.run('Two', { sessionId: 's' })
    const key = { agentId: 'flow', userId: 'default', sessionId: 's' }
    expect((await sessions.load(key))?.messages.map(wordsOf)).toEqual(['One', '<One>', 'Two', '<Two>'])
    const memberKey = { ...key, agentId: 'flow/inner/ann' }
    expect((await sessions.load(memberKey))?.messages.map(wordsOf)).toEqual(['One', '<One>', 'Two', '<Two>'])
    await flow.asAgent().sessions.delete(key)
    expect(await sessions.load(memberKey)).toBeUndefined()
    const first = workflow({ name: 'Flow' })
    await first.step(() => 1).run('One', { sessionId: 's' })
    expect(
      (
        await first
          .step(() => 2)
          .asAgent()
          .sessions.load(key)
      )?.messages.map(wordsOf),
    ).toEqual(['One', '1'])
  })
})

describe('parallel steps', () => {
  it('return a list or a record, in the order of the steps', async () => {
    const late = async (text: string) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      return `late ${text}`
    }
    expect(
      await workflow()
        .parallel([late, (text) => text.length])
        .run('x'),
    ).toEqual(['late x', 1])
    const record = workflow().parallel({ late, ann: member('Ann', echo) })
    expect(await record.run('x')).toEqual({ late: 'late x', ann: '<x>' })
  })

  it('run at most 8 at a time', async () => {
    let running = 0
    let most = 0
    const step = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return running--
    }
    expect(
      await workflow()
        .parallel(Array.from({ length: 30 }, () => step))
        .run('x'),
    ).toHaveLength(30)
    expect(most).toBe(8)
  })

  it('are aborted when one of them fails, and queued ones do not start', async () => {
    const signals: AbortSignal[] = []
    const hanging = thinking((_request, signal) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    let waited = 0
    const flow = workflow().parallel([
      member('Ann', hanging),
      (_text, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
      async (text) => {
        await new Promise((resolve) => setTimeout(resolve, 10))
        throw new Error(`${text} is broken`)
      },
      ...Array.from({ length: 5 }, () => () => new Promise<never>(() => {})),
      () => waited++,
    ])
    const { events, result } = await eventsOf(flow.stream('It'))
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'tool-error' } })
    expect(result.error?.message).toBe('The step "step 1.2" failed. It is broken')
    expect(linesOf(events)).toContain('workflow/ann agent-end aborted')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(waited).toBe(0)
  })

  it('are aborted together with the runs that they started', async () => {
    let received: AbortSignal | undefined
    const hanging = thinking((_request, signal) => {
      received = signal
      return new Promise(() => {})
    })
    const helper = member('Ann', hanging)
    const flow = workflow().parallel([
      (text) => helper.chat(text),
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 10))
        throw new Error('Broken.')
      },
    ])
    await expect(flow.step(() => new Promise(() => {})).run('Go')).rejects.toMatchObject({ code: 'tool-error' })
    expect(received?.aborted).toBe(true)
  })
})

describe('a branch', () => {
  it('takes a number for the key that is written so', async () => {
    // For the compiler the keys are texts.
    const flow = workflow<number>().branch((stars) => stars as never, { 1: () => 'Bad.', 5: () => 'Good.' })
    expect(await flow.run(5)).toBe('Good.')
    await expect(flow.run(3)).rejects.toMatchObject({
      message: expect.stringContaining('chose "3". There are: "1", "5"'),
    })
  })

  it('takes true and false for the keys that are written so', async () => {
    // The type asks for one of the keys, which are texts.
    const flow = workflow().branch((text) => (text === 'x') as never, { true: () => 'Yes.', false: () => 'No.' })
    expect([await flow.run('x'), await flow.run('y')]).toEqual(['Yes.', 'No.'])
  })

  it('runs one of two steps, or none', async () => {
    const flow = workflow().branch(
      async (text, { input }) => text === input && text.length > 3,
      (text) => text.length,
      member('Ann', echo),
    )
    expect([await flow.run('long'), await flow.run('x')]).toEqual([4, '<x>'])
    const perhaps = workflow().branch(
      (text) => text === 'x',
      () => 'y',
    )
    expect([await perhaps.run('x'), await perhaps.run('z')]).toEqual(['y', 'z'])
  })

  it('runs the step that is named, and no other', async () => {
    const flow = workflow().branch((text) => text as 'a' | 'b', { a: () => 1, b: member('Ann', echo) })
    expect([await flow.run('a'), await flow.run('b')]).toEqual([1, '<b>'])
    const error = {
      code: 'invalid-argument',
      message: expect.stringContaining('chose "toString". There are: "a", "b"'),
    }
    await expect(flow.run('toString')).rejects.toMatchObject(error)
  })
})

describe('a loop', () => {
  const longer = (text: string) => `${text}.`

  it('repeats until a condition is true, while one is true, or a number of times', async () => {
    const seen: unknown[] = []
    const until = workflow().loop(longer, {
      until: async (text, iteration) => seen.push([text, iteration]) === 2,
      maxIterations: 9,
    })
    expect(await until.run('a')).toBe('a..')
    expect(seen).toEqual([
      ['a.', 1],
      ['a..', 2],
    ])
    const whileFlow = workflow().loop(longer, { while: (text, done) => text.length < 3 && done < 9, maxIterations: 9 })
    expect([await whileFlow.run('a'), await whileFlow.run('long')]).toEqual(['a..', 'long'])
    const { output, warnings } = await workflow().loop(longer, { maxIterations: 3 }).stream('a').result
    expect([output, warnings]).toEqual(['a...', []])
  })

  it('ends at its bound, with a warning if its condition has not ended it', async () => {
    const model = thinking(echo.stream as never)
    const ann = member('Ann', saying('once', 'twice', 'thrice', 'more'))
    const { output, warnings, usage } = await workflow()
      .loop(ann, { until: () => false, maxIterations: 3 })
      .stream('a').result
    expect([output, usage.inputTokens]).toEqual(['thrice', 30])
    expect(warnings).toEqual([expect.stringContaining('"Ann" was ended by its `maxIterations`: 3.')])
    expect(model.requests).toEqual([])
    const { warnings: ofWhile } = await workflow()
      .loop(longer, { while: () => true, maxIterations: 2 })
      .stream('a').result
    expect(ofWhile).toHaveLength(1)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', undefined])(
    'refuses a bound of %s',
    (maxIterations) => {
      const build = () => workflow().loop(longer, { maxIterations } as never)
      expect(build).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    },
  )

  it('of synchronous steps is ended by a deadline', async () => {
    const flow = workflow({ timeoutMs: 50 }).loop(longer, { maxIterations: Number.MAX_SAFE_INTEGER })
    await expect(flow.run('a')).rejects.toMatchObject({ code: 'timeout', phase: 'run' })
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 20)
    await expect(flow.run('a', { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('a failing step', () => {
  it('fails the run with the error of its agent', async () => {
    const ann = member('Ann', broken, { retry: { attempts: 1 } })
    const inner = workflow({ name: 'Inner' }).step('draft', ann)
    const { events, result } = await eventsOf(
      workflow()
        .step(inner)
        .step(() => 'never')
        .stream('Go'),
    )
    expect(result).toMatchObject({
      finishReason: 'error',
      error: { code: 'quota', provider: 'test', retryable: false },
    })
    expect(result.error?.message).toBe('The step "Inner" failed. The step "draft" failed. Out of credit.')
    expect(linesOf(events).slice(-3)).toEqual([
      'workflow/inner/ann agent-end failed',
      'workflow/inner agent-end failed',
      'workflow run-end error',
    ])
  })

  it.each([
    ['max-steps', { maxSteps: 1, functions: [paying([])], model: saying([['none']]) }],
    ['tool-error', { model: saying('') }],
  ] as const)('fails it with the reason why the agent has no answer: %s', async (code, { model, ...options }) => {
    const ann = member('Ann', model, { guard: false, ...options } as never)
    await expect(workflow().step(ann).run('Go')).rejects.toMatchObject({ code })
  })

  it('fails it with the error that a function throws', async () => {
    const own = new AgentKitError('not-found', 'There is no such city.')
    const known = workflow().step(() => {
      throw own
    })
    await expect(known.run('Go')).rejects.toMatchObject({ code: 'not-found', message: 'There is no such city.' })
    const secret = workflow().step('load', async () => {
      throw new Error('No access with sk-abcdefghijklmnopqrstuvwxyz123456')
    })
    const error = await secret.run('Go').catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'tool-error', runId: expect.any(String), cause: expect.any(Error) })
    expect(error.message).toMatch(/^The step "load" failed. No access with/)
    expect(error.message).not.toContain('abcdefghijkl')
  })

  it.each([
    ['  ', 'an empty text'],
    [undefined, 'nothing'],
  ])('fails it if the message for an agent is empty: %j', async (value, found) => {
    const flow = workflow()
      .step(() => value as string)
      .step(member('Ann'))
    const message = expect.stringContaining(`The step "Ann" has ${found} to send`)
    await expect(flow.run('Go')).rejects.toMatchObject({ code: 'invalid-argument', message })
  })

  it('fails it if an agent waits for an approval', async () => {
    const done: string[] = []
    const ann = member('Ann', saying([['pay', { amount: 1 }]], 'Paid.'), { functions: [paying(done)] })
    const { events, result } = await eventsOf(
      workflow()
        .step(workflow({ name: 'Inner' }).step(ann))
        .stream('Go'),
    )
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'unsupported' }, approvals: [] })
    expect(result.error?.message).toContain('waits for approval of "pay"')
    expect(events.some(({ type }) => type === 'approval-request')).toBe(false)
    expect(events.flatMap((event) => (event.type === 'agent-end' ? [event.status] : []))).toEqual(['failed', 'failed'])
    expect(done).toEqual([])
  })
})

describe('a budget', () => {
  it('bounds every step', async () => {
    const model = saying('More.')
    const ann = member('Ann', model)
    const flow = workflow({ budget: { modelCalls: 3 } })
      .parallel([ann, workflow({ name: 'Inner' }).step(ann)])
      .step(([text]) => ann.chat(text))
      .step(ann)
      .step(() => 'never')
    const { finishReason, warnings, output, usage } = await flow.stream('Go').result
    expect([finishReason, output, usage.inputTokens]).toEqual(['budget', undefined, 30])
    expect(warnings.at(-1)).toContain('3 of 3 model calls were made')
    expect(model.requests).toHaveLength(3)
    await expect(flow.run('Go', { budget: { modelCalls: 2 } })).rejects.toMatchObject({ code: 'budget' })
    expect(model.requests).toHaveLength(5)
  })

  it('of a nested workflow or an agent ends the whole run', async () => {
    const ann = member('Ann', saying('More.'), { budget: { modelCalls: 0 } })
    expect((await workflow().step(ann).stream('Go').result).finishReason).toBe('budget')
    const model = saying('More.')
    const inner = workflow({ name: 'Inner', budget: { modelCalls: 1 } }).loop(member('Bob', model), {
      maxIterations: 3,
    })
    const { finishReason, usage } = await workflow().step(inner).stream('Go').result
    expect([finishReason, usage.inputTokens, model.requests.length]).toEqual(['budget', 10, 1])
  })

  it('of seconds ends function steps too', async () => {
    const flow = workflow({ budget: { seconds: 0.02 } }).step(() => new Promise<string>(() => {}))
    expect((await flow.stream('Go').result).finishReason).toBe('budget')
  })

  it('of the run pays for the runs that a function starts', async () => {
    const ann = member('Ann', saying('Yes.'))
    const flow = workflow()
      .step((text) => ann.chat(text))
      .parallel([(text) => ann.chat(text), ann])
    expect((await flow.stream('Go').result).usage).toMatchObject({ inputTokens: 30, outputTokens: 15 })
  })
})

describe('an invalid workflow', () => {
  it.each<[string, () => unknown]>([
    ['Pass an object', () => workflow('Report' as never)],
    ['id', () => workflow({ id: '9' })],
    ['`budget.usd`', () => workflow({ budget: { usd: -1 } })],
    ['`timeoutMs`', () => workflow({ timeoutMs: 0 })],
    ['"step 1" is not an agent', () => workflow().step({} as never)],
    ['"draft" is not an agent', () => workflow().step('draft', undefined as never)],
    ['`ask` is a function', () => workflow().step(member('Ann'), { ask: 'Go' as never })],
    ['a list or a record of steps', () => workflow().parallel([])],
    ['a list or a record of steps', () => workflow().parallel(member('Ann') as never)],
    ['"a" is not an agent', () => workflow().parallel({ a: 1 as never })],
    ['a function that chooses', () => workflow().branch(true as never, member('Ann'))],
    ['a step, or a record of steps', () => workflow().branch(() => true, undefined as never)],
    ['`until` is a function', () => workflow().loop(member('Ann'), { maxIterations: 1, until: true as never })],
  ])('is refused when it is defined: %s', (problem, build) => {
    expect(build).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(problem) }),
    )
  })
})
