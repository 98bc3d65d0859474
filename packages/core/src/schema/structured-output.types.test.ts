import { scriptedModel } from '@agentkit/testing'
import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as zMini from 'zod/v4-mini'
import { z as z3 } from 'zod3'
import { Agent } from '../agents/agent.ts'
import type { StandardSchema } from '../contracts/standard-schema.ts'
import type { JSONSchema } from '../data/message.ts'
import type { AgentRun, Runnable, RunResult } from '../runs/driver/run.ts'

const base = { name: 'Test', functions: [], model: scriptedModel([]) }

type City = { city: string }

it('infers an agent’s output type from every schema library', () => {
  expectTypeOf(new Agent({ ...base, output: z.object({ city: z.string() }) })).toEqualTypeOf<Agent<City>>()
  expectTypeOf(new Agent({ ...base, output: zMini.object({ city: zMini.string() }) })).toEqualTypeOf<Agent<City>>()
  expectTypeOf(new Agent({ ...base, output: z3.object({ city: z3.string() }) })).toEqualTypeOf<Agent<City>>()
  expectTypeOf(new Agent({ ...base, output: v.object({ city: v.string() }) })).toEqualTypeOf<Agent<City>>()
  expectTypeOf(new Agent({ ...base, output: type({ city: 'string' }) })).toEqualTypeOf<Agent<City>>()
})

it('uses the output type of the schema, not its input type', () => {
  type Parsed = { n: number; d: number }
  const zod4 = z.object({ n: z.string().transform(Number), d: z.number().default(3) })
  const zod3 = z3.object({ n: z3.string().transform(Number), d: z3.number().default(3) })
  const valibot = v.object({ n: v.pipe(v.string(), v.transform(Number)), d: v.optional(v.number(), 3) })
  const arktype = type({ n: 'string.numeric.parse', d: 'number = 3' })
  expectTypeOf(new Agent({ ...base, output: zod4 })).toEqualTypeOf<Agent<Parsed>>()
  expectTypeOf(new Agent({ ...base, output: zod3 })).toEqualTypeOf<Agent<Parsed>>()
  expectTypeOf(new Agent({ ...base, output: valibot })).toEqualTypeOf<Agent<Parsed>>()
  expectTypeOf(new Agent({ ...base, output: arktype })).toEqualTypeOf<Agent<Parsed>>()
})

it('infers the type of an output that is not an object', () => {
  expectTypeOf(new Agent({ ...base, output: z.array(z.string()) })).toEqualTypeOf<Agent<string[]>>()
  expectTypeOf(new Agent({ ...base, output: z.enum(['a', 'b']) })).toEqualTypeOf<Agent<'a' | 'b'>>()
  expectTypeOf(new Agent({ ...base, output: type("'a' | 'b'") })).toEqualTypeOf<Agent<'a' | 'b'>>()
  expectTypeOf(new Agent({ ...base, output: z.string().nullable() })).toEqualTypeOf<Agent<string | null>>()
  expectTypeOf(new Agent({ ...base, output: z.null() })).toEqualTypeOf<Agent<null>>()
})

it('gives the result that type, and undefined without an output', () => {
  const agent = new Agent({ ...base, output: z.object({ city: z.string() }) })
  expectTypeOf(agent.stream).returns.toEqualTypeOf<AgentRun<City>>()
  expectTypeOf<AgentRun<City>['result']>().resolves.toEqualTypeOf<RunResult<City>>()
  expectTypeOf<RunResult<City>['output']>().toEqualTypeOf<City | undefined>()
  expectTypeOf<Extract<RunResult<City>, { finishReason: 'stop' }>['output']>().toEqualTypeOf<City>()
  expectTypeOf(new Agent(base)).toEqualTypeOf<Agent>()
  expectTypeOf(new Agent(base)).toEqualTypeOf<Agent<undefined>>()
  expectTypeOf<RunResult<undefined>['output']>().toEqualTypeOf<undefined>()
})

it('infers the items of a list in the output by its path', () => {
  const Step = z.object({ name: z.string(), minutes: z.number() })
  const plan = z.object({
    title: z.string(),
    steps: z.array(Step),
    plan: z.object({ tags: z.array(z.string()) }).nullish(),
  })
  const agent = new Agent({ ...base, output: plan })
  const run = agent.stream('Tea')
  expectTypeOf(run.elements('steps')).toEqualTypeOf<AsyncIterable<{ name: string; minutes: number }>>()
  expectTypeOf(run.elements('plan.tags')).toEqualTypeOf<AsyncIterable<string>>()
  expectTypeOf(run.elements('title')).toEqualTypeOf<AsyncIterable<unknown>>()
  expectTypeOf(new Agent({ ...base, output: z.array(Step) }).stream('Tea').elements('')).toEqualTypeOf<
    AsyncIterable<{ name: string; minutes: number }>
  >()
  // Where the type of the output says nothing, that of its items is the caller's.
  expectTypeOf(new Agent({ ...base, output: { type: 'array' } }).stream('Tea').elements<City>('')).toEqualTypeOf<
    AsyncIterable<City>
  >()
  type Tree = { name: string; children: Tree[] }
  expectTypeOf<AgentRun<Tree>>().toExtend<AgentRun>()
})

it('accepts an agent with any output where the type does not matter', () => {
  const agent = new Agent({ ...base, output: z.object({ city: z.string() }) })
  expectTypeOf(agent).toExtend<Runnable>()
  expectTypeOf(agent).toExtend<Agent<unknown>>()
  expectTypeOf(agent).not.toExtend<Agent>()
})

it('accepts a schema with a type, or a JSON Schema', () => {
  type Output = NonNullable<ConstructorParameters<typeof Agent<City>>[0]['output']>
  expectTypeOf<Output>().toEqualTypeOf<StandardSchema<unknown, City> | JSONSchema>()
  expectTypeOf<'json'>().not.toExtend<Output>()
})
