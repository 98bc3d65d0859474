import { scriptedModel } from '@agentkit/testing'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { Agent, type InputPart, type Member, type Runnable, Swarm, type Workflow, workflow } from '../index.ts'

const base = { functions: [], model: scriptedModel([]) }
const writer = new Agent({ ...base, name: 'Writer' })
const judge = new Agent({ ...base, name: 'Judge', output: z.object({ good: z.boolean() }) })
const team = new Swarm({ ...base, name: 'Team', agents: [writer] })

it('types each step by the previous one', () => {
  const first = workflow()
  expectTypeOf(first).toEqualTypeOf<Workflow<string, string>>()
  const counted = first.step((text, { input, signal }) => {
    expectTypeOf(text).toEqualTypeOf<string>()
    expectTypeOf(input).toEqualTypeOf<string>()
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    return text.length
  })
  expectTypeOf(counted).toEqualTypeOf<Workflow<string, number>>()
  expectTypeOf(counted.step(async (count) => ({ count }))).toEqualTypeOf<Workflow<string, { count: number }>>()
  expectTypeOf(counted.step('named', (count) => [count])).toEqualTypeOf<Workflow<string, number[]>>()
  expectTypeOf(counted.run('a')).resolves.toEqualTypeOf<number>()
  expectTypeOf(counted.stream('a').result).resolves.toHaveProperty('output').toEqualTypeOf<number | undefined>()
  expectTypeOf(workflow<{ city: string }>().run).parameter(0).toEqualTypeOf<{ city: string }>()
  void (() => workflow<void>().run())
})

it('types agents and swarms by their answers', () => {
  expectTypeOf(workflow().step(writer)).toEqualTypeOf<Workflow<string, string>>()
  expectTypeOf(workflow().step('judge', judge)).toEqualTypeOf<Workflow<string, { good: boolean }>>()
  expectTypeOf(workflow().step(team)).toEqualTypeOf<Workflow<string, string>>()
  const answered = workflow<{ city: string }>().step(judge, {
    ask: (value, { input }) => {
      expectTypeOf(value).toEqualTypeOf<{ city: string }>()
      expectTypeOf(input).toEqualTypeOf<{ city: string }>()
      return value.city
    },
  })
  expectTypeOf(answered).toEqualTypeOf<Workflow<{ city: string }, { good: boolean }>>()
  expectTypeOf(workflow<InputPart[]>().step('look', writer, { ask: (parts) => parts })).toEqualTypeOf<
    Workflow<InputPart[], string>
  >()
})

it('types parallel steps as a tuple or a record', () => {
  expectTypeOf(workflow().parallel([writer, judge, (text) => text.length])).toEqualTypeOf<
    Workflow<string, [string, { good: boolean }, number]>
  >()
  const record = workflow().parallel({ text: writer, verdict: judge, size: async (text) => text.length })
  expectTypeOf(record).toEqualTypeOf<Workflow<string, { text: string; verdict: { good: boolean }; size: number }>>()
  record.step(({ verdict }) => expectTypeOf(verdict.good).toEqualTypeOf<boolean>())
  const created = workflow().parallel([
    new Agent({ ...base, name: 'Created' }),
    new Agent({ ...base, name: 'Sized', output: z.object({ size: z.number() }) }),
    (text) => text.length,
  ])
  expectTypeOf(created).toEqualTypeOf<Workflow<string, [string, { size: number }, number]>>()
  const named = workflow().parallel({
    one: new Agent({ ...base, name: 'One' }),
    all: new Swarm({ ...base, name: 'All', agents: [writer] }),
    size: (text) => text.length,
  })
  expectTypeOf(named).toEqualTypeOf<Workflow<string, { one: string; all: string; size: number }>>()
  const many: Agent[] = [writer]
  expectTypeOf(workflow().parallel(many)).toEqualTypeOf<Workflow<string, string[]>>()
})

it('types a branch as a union', () => {
  const either = workflow().branch(
    (text) => text.length > 3,
    (text) => text.length,
    () => true,
  )
  expectTypeOf(either).toEqualTypeOf<Workflow<string, number | boolean>>()
  expectTypeOf(workflow().branch(async () => true, judge)).toEqualTypeOf<Workflow<string, { good: boolean } | string>>()
  const routed = workflow().branch((text) => (text === '' ? 'none' : 'some'), {
    none: () => undefined,
    some: (text) => [text],
  })
  expectTypeOf(routed).toEqualTypeOf<Workflow<string, undefined | string[]>>()
  const three = workflow().branch(
    (text) => text.length > 3,
    (text) => text,
    (text) => text.length,
  )
  expectTypeOf(three).toEqualTypeOf<Workflow<string, string | number>>()
})

it('types both sides of a type guard', () => {
  type A = { kind: 'a'; a: number }
  type B = { kind: 'b'; b: string }
  const takesA = workflow<A>().step(({ a }) => a)
  const takesB = workflow<B>().step(({ b }) => [b])
  const lambdas = workflow<A | B>().branch(
    (value) => value.kind === 'a',
    ({ a }) => a,
    ({ b }) => [b],
  )
  expectTypeOf(lambdas).toEqualTypeOf<Workflow<A | B, number | string[]>>()
  const flows = workflow<A | B>().branch((value) => value.kind === 'a', takesA, takesB)
  expectTypeOf(flows).toEqualTypeOf<Workflow<A | B, number | string[]>>()
  const alone = workflow<A | B>().branch((value): value is A => value.kind === 'a', takesA)
  expectTypeOf(alone).toEqualTypeOf<Workflow<A | B, number | B>>()
  const refused = (): void => {
    // @ts-expect-error the guard passes the other kind
    workflow<A | B>().branch((value) => value.kind === 'b', takesA, takesB)
    // @ts-expect-error no guard: both kinds pass
    workflow<A | B>().branch((value): boolean => value.kind === 'a', takesA)
    // @ts-expect-error a guard that is called later narrows nothing
    workflow<A | B>().branch(async (value) => value.kind === 'a', takesA)
    // @ts-expect-error the condition is no type guard
    workflow<A | B>().branch((_value): boolean | Promise<boolean> => true, takesA)
  }
  expectTypeOf(refused).toBeFunction()
})

it('types a loop by its body', () => {
  const looped = workflow().loop(writer, { until: (text) => text.length > 3, maxIterations: 3 })
  expectTypeOf(looped).toEqualTypeOf<Workflow<string, string>>()
  const state = workflow<number>()
    .step((count) => ({ count, done: false }))
    .loop(({ count }) => ({ count: count + 1, done: count > 3 }), { while: ({ done }) => !done, maxIterations: 9 })
  expectTypeOf(state).toEqualTypeOf<Workflow<number, { count: number; done: boolean }>>()
  expectTypeOf(workflow().loop(workflow().step(writer), { maxIterations: 2 })).toEqualTypeOf<Workflow<string, string>>()
})

it('types nested workflows by their input and output', () => {
  const inner = workflow<number>().step((count) => count > 1)
  expectTypeOf(
    workflow()
      .step((text) => text.length)
      .step(inner),
  ).toEqualTypeOf<Workflow<string, boolean>>()
  const wide = workflow<string | number>().step(() => 1)
  expectTypeOf(workflow().step(wide)).toEqualTypeOf<Workflow<string, number>>()
  expectTypeOf(workflow().step(writer).asAgent()).toExtend<Member>()
  expectTypeOf(workflow().step(writer).asAgent()).toExtend<Runnable>()
})

it('refuses steps that do not fit', () => {
  const nothing = workflow().step(() => {})
  const perhaps = workflow<string[]>().step((texts) => texts[0])
  const twice = (count: number): number => count * 2
  const refused = (): void => {
    // @ts-expect-error a loop has a bound
    workflow().loop(writer, {})
    // @ts-expect-error a loop has a bound, also with a condition
    workflow().loop(writer, { until: () => true })
    // @ts-expect-error a loop has options
    workflow().loop(writer)
    // @ts-expect-error the bound is a number
    workflow().loop(writer, { maxIterations: '3' })
    // @ts-expect-error the body's value must fit its input
    workflow().loop((text) => text.length, { maxIterations: 3 })
    // @ts-expect-error an agent of another output is no body of a loop
    workflow().loop(judge, { maxIterations: 3 })
    // @ts-expect-error nor is a workflow of another output
    workflow().loop(workflow().step(judge), { maxIterations: 3 })
    // @ts-expect-error a text is not a number
    workflow().step((count: number) => count)
    // @ts-expect-error a text is not a number, also in a named step
    workflow().step('count', (count: number) => count)
    // @ts-expect-error a workflow that accepts numbers receives no text
    workflow().step(workflow<number>())
    // @ts-expect-error no parallel step accepts a number
    workflow().parallel([writer, (count: number) => count])
    // @ts-expect-error nor does a named one
    workflow().parallel({ count: (count: number) => count })
    // @ts-expect-error an agent's question is never undefined
    nothing.step(writer)
    // @ts-expect-error nor optional
    perhaps.step(writer)
    // @ts-expect-error there is no such route
    workflow().branch(() => 'third', { first: writer, second: writer })
    // @ts-expect-error a branch accepts the previous value
    workflow().branch(() => true, twice)
    // @ts-expect-error a text is no step
    workflow().step('writer')
    // @ts-expect-error the workflow accepts text
    void workflow().run(3)
    // @ts-expect-error a swarm sends text to its members
    workflow<number>().asAgent()
    // @ts-expect-error a function has no `ask`
    workflow().step((text) => text, { ask: () => 'a' })
  }
  expectTypeOf(refused).toBeFunction()
})
