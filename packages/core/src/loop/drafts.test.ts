import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { Agent, AgentKitError, type AgentOptions, tool } from '../index.ts'

const Plan = z.object({ title: z.string(), steps: z.array(z.object({ name: z.string(), minutes: z.number() })) })
const plan = {
  title: 'Tea',
  steps: [
    { name: 'Boil', minutes: 3 },
    { name: 'Pour', minutes: 1 },
  ],
}

const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })

function planner<Output>(
  turns: readonly ScriptedTurn[],
  output: AgentOptions<Output>['output'],
  options: Partial<Omit<AgentOptions<Output>, 'model' | 'output'>> = {},
) {
  const model = Object.assign(scriptedModel(turns), { info: { nativeOutput: 'always' as const } })
  return new Agent<Output>({
    name: 'Planner',
    functions: [],
    model,
    ...(output && { output }),
    retry: { attempts: 2, firstWaitMs: 0 },
    ...options,
  })
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(structuredClone(value))
  return all
}

describe('drafts of an output', () => {
  it('grow until they equal the text of the model', async () => {
    const run = planner([{ text: JSON.stringify(plan), deltas: 20 }], Plan).stream('Tea')
    const drafts = await collect(run.partials())
    expectTypeOf(drafts).toEqualTypeOf<{ title?: string; steps?: { name?: string; minutes?: number }[] }[]>()
    expect(drafts.length).toBeGreaterThan(3)
    expect(drafts.at(-1)).toEqual(plan)
    expect((await run.result).output).toEqual(plan)
  })

  it('skip the text of earlier steps', async () => {
    const turns = [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, JSON.stringify(plan)]
    const drafts = await collect(
      planner(turns, Plan, { functions: [look] })
        .stream('Tea')
        .partials(),
    )
    expect(drafts.at(-1)).toEqual(plan)
  })

  it('begin again with a step that is tried again', async () => {
    const broken = { text: '{"title":"Coffee', deltas: 1, error: gone() }
    const drafts = await collect(
      planner([broken, JSON.stringify(plan)], Plan)
        .stream('Tea')
        .partials(),
    )
    expect(drafts[0]).toEqual({ title: 'Coffee' })
    expect(drafts.at(-1)).toEqual(plan)
  })

  it('show nothing that the hook `output` has not passed', async () => {
    const hooks = { output: ({ text }: { text: string }) => ({ text: text.replace('Tea', 'Water') }) }
    const run = planner([{ text: JSON.stringify(plan), deltas: 20 }], Plan, { hooks: hooks as never }).stream('Tea')
    const drafts = await collect(run.partials())
    expect(JSON.stringify(drafts)).not.toContain('Tea')
  })

  it('are those of a list, where the output is one', async () => {
    const agent = planner([{ text: JSON.stringify({ value: ['a', 'b'] }) }], z.array(z.string()))
    expect((await collect(agent.stream('Letters').partials())).at(-1)).toEqual(['a', 'b'])
  })

  it.each([
    ['[{"name":"Boil","minutes":3}]', [{ name: 'Boil', minutes: 3 }]],
    ['Such as this: [1, 2]\n```json\n[{"name":"Pour","minutes":1}]\n```', [{ name: 'Pour', minutes: 1 }]],
  ])('are those of a list that stands without its field: %s', async (text, steps) => {
    const agent = planner([text, text], Plan.shape.steps)
    const run = agent.stream('Tea')
    expect((await collect(run.partials())).at(-1)).toEqual(steps)
    expect((await run.result).output).toEqual(steps)
    expect(await collect(agent.stream('Tea').elements(''))).toEqual(steps)
  })

  it.each([
    ['behind an example', `Not {"title":"Coffee","steps":1} but ${JSON.stringify(plan)}`],
    ['behind braces of prose', `In {these} braces: ${JSON.stringify(plan)}`],
    ['before an example', `${JSON.stringify(plan)} ({} is none)`],
  ])('end with the answer that stands %s', async (_, text) => {
    const run = planner([text], Plan).stream('Tea')
    expect((await collect(run.partials())).at(-1)).toEqual(plan)
    expect((await run.result).output).toEqual(plan)
  })

  it('end where the run needs an approval, and are those of the run that is resumed', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const agent = planner([{ toolCalls: [{ name: 'pay' }] }, JSON.stringify(plan)], Plan, { functions: [pay] })
    const run = agent.stream('Tea')
    expect(await collect(run.partials())).toEqual([])
    const { finishReason, runId, approvals } = await run.result
    expect(finishReason).toBe('approval')
    const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
    expect(await collect(agent.resume(runId, decisions).elements('steps'))).toEqual(plan.steps)
  })

  it('end with the error of the run', async () => {
    const agent = planner([gone(), gone()], Plan)
    await expect(collect(agent.stream('Tea').partials())).rejects.toMatchObject({ code: 'network' })
  })

  it('need an `output`, and a run that is not iterated yet', async () => {
    await expect(collect(planner(['Tea'], undefined).stream('Tea').partials())).rejects.toThrow('has no `output`')
    const run = planner([JSON.stringify(plan)], Plan).stream('Tea')
    for await (const _ of run);
    await expect(collect(run.partials())).rejects.toThrow(
      'is being iterated already. Read its `result`, or call stream() for another run.',
    )
  })
})

describe('elements of an output', () => {
  it('accept null for an omitted field, as the whole answer does', async () => {
    const Tips = z.object({ tips: z.array(z.object({ text: z.string(), link: z.string().optional() })) })
    const tips = [{ text: 'Warm the pot.', link: null }, { text: 'Wait.' }]
    const given = await collect(
      planner([JSON.stringify({ tips })], Tips)
        .stream('Tea')
        .elements('tips'),
    )
    expect(given).toEqual([{ text: 'Warm the pot.' }, { text: 'Wait.' }])
  })

  it('are given once, when they are complete', async () => {
    const run = planner([{ text: JSON.stringify(plan), deltas: 20 }], Plan).stream('Tea')
    expect(await collect(run.elements('steps'))).toEqual(plan.steps)
  })

  it('are those of an answer that begins again, without those that were given', async () => {
    const [boil, pour] = plan.steps
    const broken = { text: JSON.stringify({ title: 'Tea', steps: [boil, { name: 'Spill', minutes: 1 }] }).slice(0, -1) }
    const turns = [{ ...broken, error: gone() }, JSON.stringify(plan)]
    const given = await collect(planner(turns, Plan).stream('Tea').elements('steps'))
    expect(given).toEqual([boil, { name: 'Spill', minutes: 1 }, pour])
  })

  it('are of a list in one of the forms of the answer', async () => {
    const step = z.object({ do: z.string(), with: z.string().optional() })
    const kinds = [
      z.object({ kind: z.literal('question'), text: z.string() }),
      z.object({ kind: z.literal('plan'), steps: z.array(step) }),
      z.object({ kind: z.literal('names'), steps: z.array(z.string()) }),
    ] as const
    const given = async (answer: object, output: z.ZodType): Promise<unknown[]> => {
      const elements = planner([JSON.stringify(answer)], output)
        .stream('Tea')
        .elements('steps')
      return await collect(elements as AsyncIterable<unknown>)
    }
    for (const output of [z.union(kinds), z.discriminatedUnion('kind', kinds)]) {
      expect(await given({ kind: 'plan', steps: [{ do: 'Boil' }, { do: 'Pour', with: null }] }, output)).toEqual([
        { do: 'Boil' },
        { do: 'Pour' },
      ])
      expect(await given({ kind: 'names', steps: ['Boil'] }, output)).toEqual(['Boil'])
      expect(await given({ kind: 'question', text: 'Which?' }, output)).toEqual([])
    }
  })

  it('are of a list to which a reference of any form leads', async () => {
    const steps = { type: 'array', items: { $ref: '#/$defs/step' } }
    const properties = { steps, more: { $ref: '#/properties/steps' }, last: { $ref: '#/$defs/lists/all' } }
    const $defs = { step: { type: 'object' }, lists: { all: steps } }
    const answer = JSON.stringify({ steps: [], more: [{ do: 'Boil' }], last: [{ do: 'Pour' }] })
    const given = (path: string): Promise<unknown[]> =>
      collect(planner([answer], { type: 'object', properties, $defs }).stream('Tea').elements(path))
    expect([await given('more'), await given('last')]).toEqual([[{ do: 'Boil' }], [{ do: 'Pour' }]])
  })

  it('fit their schema', async () => {
    const wrong = { ...plan, steps: [{ name: 'Boil', minutes: 'three' }, plan.steps[1]] }
    const given = await collect(
      planner([JSON.stringify(wrong), JSON.stringify(plan)], Plan)
        .stream('Tea')
        .elements('steps'),
    )
    expect(given).toEqual([plan.steps[1], plan.steps[0]])
  })

  it('are of a list, not of an output that is a text', async () => {
    const agent = planner([JSON.stringify({ value: 'Tea' })], z.string())
    await expect(collect(agent.stream('Tea').elements(''))).rejects.toThrow('has no list of items at ""')
  })

  it.each(['stages', 'title', 'steps.name', '__proto__'])('are of a list of the schema, not of "%s"', async (path) => {
    const agent = planner([JSON.stringify(plan)], Plan)
    await expect(collect(agent.stream('Tea').elements(path))).rejects.toThrow(`has no list of items at "${path}"`)
  })

  it('need the path of a list', async () => {
    // @ts-expect-error JavaScript may leave it out
    const elements = planner([], Plan).stream('Tea').elements()
    await expect(collect(elements)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'Pass the path of a list in the output: run.elements("plan.steps").',
    })
  })
})

function gone(): AgentKitError {
  return new AgentKitError('network', 'gone', { retryable: true })
}
