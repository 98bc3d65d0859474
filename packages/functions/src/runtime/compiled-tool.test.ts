import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { attachTool, type ToolContext, toolFromFunction } from '../index.ts'
import type { CompiledFunction } from './compiled-function.ts'

const context: ToolContext = {
  signal: new AbortController().signal,
  userId: 'u',
  runId: 'r',
  callId: 'c',
  idempotencyKey: 'k',
  cite() {},
}
const when = { type: 'string', format: 'date-time' }
const compiled: CompiledFunction = {
  name: 'listEvents',
  description: 'Lists events.',
  inputSchema: {
    type: 'object',
    properties: { place: { type: 'string' }, since: when },
    required: ['place'],
    additionalProperties: false,
  },
  parameters: [{ name: 'place' }, { name: 'since' }],
  contextIndex: 2,
  dates: ['/properties/since'],
}

/** Calls a function as a model would, and returns what the function received. */
async function received(input: unknown, about: Partial<CompiledFunction> = {}): Promise<unknown[]> {
  const listEvents = attachTool((...parameters: unknown[]) => [parameters], { ...compiled, ...about })
  // That is what the function returns.
  const [parameters] = (await toolFromFunction(listEvents).execute(input, context)) as [unknown[]]
  return parameters
}

describe('the tool of a function', () => {
  it('calls it with the values of the input for its parameters', async () => {
    const input = { since: '2026-01-31T10:00:00Z', place: 'Oslo' }
    expect(await received(input)).toEqual(['Oslo', new Date('2026-01-31T10:00:00Z'), context])
    expect(input).toEqual({ since: '2026-01-31T10:00:00Z', place: 'Oslo' })
    expect(await received({ place: 'Oslo' })).toEqual(['Oslo', undefined, context])
  })

  it('lets the defaults of parameters hold', async () => {
    const repeat = attachTool((text: string, times = 2, ...more: string[]) => text.repeat(times) + more.join(''), {
      name: 'repeat',
      description: 'Repeats a text.',
      inputSchema: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          times: { type: 'number' },
          more: { type: 'array', items: { type: 'string' } },
        },
        required: ['text'],
      },
      parameters: [{ name: 'text' }, { name: 'times' }, { name: 'more', rest: true }],
    })
    const { execute } = toolFromFunction(repeat)
    expect(await execute({ text: 'ab' }, context)).toBe('abab')
    expect(await execute({ text: 'ab', times: 1 }, context)).toBe('ab')
    expect(await execute({ text: 'ab', more: ['c', 'd'] }, context)).toBe('ababcd')
  })

  it('gives the whole input to a function that takes it apart itself', async () => {
    expect(
      await received(
        { place: 'Oslo', since: '2026-01-31T10:00:00Z' },
        { parameters: [{ whole: true }], contextIndex: 1 },
      ),
    ).toEqual([{ place: 'Oslo', since: new Date('2026-01-31T10:00:00Z') }, context])
  })

  it.each<[string, unknown, RegExp]>([
    ['a field too few', {}, /required property "place"/],
    ['a field of another type', { place: 7 }, /#\/place: .*"number".*"string"/],
    ['a field too many', { place: 'Oslo', days: 3 }, /days/],
    ['a date that is none', { place: 'Oslo', since: 'tomorrow' }, /#\/since: .*date-time/],
    ['a date that no Date can hold', { place: 'Oslo', since: '2016-12-31T23:59:60Z' }, /2016-12-31T23:59:60Z/],
    ['what is not JSON', { place: undefined }, /undefined/],
    ['no object', null, /"null".*"object"/],
  ])('refuses an input with %s, and does not call', async (_name, input, problem) => {
    const calls: unknown[] = []
    const listEvents = attachTool((place: string) => calls.push(place), compiled)
    await expect(toolFromFunction(listEvents).execute(input, context)).rejects.toMatchObject({
      code: 'invalid-tool-call',
      message: expect.stringMatching(problem),
    })
    expect(calls).toEqual([])
  })

  it('returns or throws as the function does, also asynchronously', async () => {
    const run = (body: () => unknown): unknown =>
      toolFromFunction(attachTool(body, compiled)).execute({ place: 'Oslo' }, context)
    expect(await run(() => 'now')).toBe('now')
    expect(await run(async () => 'later')).toBe('later')
    expect(await run(() => undefined)).toBeUndefined()
    const failure = new Error('No events today.')
    const fail = (): never => {
      throw failure
    }
    await expect(run(fail)).rejects.toBe(failure)
    await expect(run(async () => fail())).rejects.toBe(failure)
  })

  it('names the owner of a schema that cannot be used', async () => {
    const inputSchema = { type: 'object', properties: { a: { $id: 'x' }, b: { $id: 'x' } } }
    await expect(received({}, { inputSchema })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('Tool "listEvents"'),
    })
  })
})

it("is one of an agent's functions, also when it is a method", async () => {
  class Calendar {
    readonly events = [{ title: 'Fair', at: new Date('2026-02-01T00:00:00Z') }]
    titlesSince(place: string, since: Date, context: ToolContext): string {
      const found = this.events.filter(({ at }) => at.getTime() > since.getTime())
      return `${context.userId}: ${place}: ${found.map(({ title }) => title).join()}`
    }
  }
  attachTool(Calendar.prototype.titlesSince, { ...compiled, name: 'titlesSince', methodOf: 'Calendar' })
  const calendar = new Calendar()
  const model = scriptedModel([
    { toolCalls: [{ name: 'titlesSince', input: { since: 'January', place: 'Oslo' } }] },
    { toolCalls: [{ name: 'titlesSince', input: { since: '2026-01-01T00:00:00Z', place: 'Oslo' } }] },
    'There is a fair.',
  ])
  const agent = new Agent({ name: 'Test', functions: [calendar.titlesSince.bind(calendar)], model })
  const { messages } = await agent.stream('What is on?', { userId: 'ada' }).result
  const results = messages.filter(({ role }) => role === 'tool')
  expect(results).toEqual([
    expect.objectContaining({ isError: true, content: expect.stringContaining('#/since') }),
    expect.objectContaining({ name: 'titlesSince', content: 'ada: Oslo: Fair' }),
  ])
  expect(model.requests[0]?.tools).toEqual([
    { name: 'titlesSince', description: 'Lists events.', inputSchema: compiled.inputSchema },
  ])
})
