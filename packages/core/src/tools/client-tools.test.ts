import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { Agent, type AgentOptions, type JSONSchema, tool } from '../index.ts'

const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
const paint = { name: 'paint', description: 'Paints the page.', inputSchema: { type: 'object' } }

function painter(options: Partial<Omit<AgentOptions, 'model'>> = { clientTools: { max: 2 } }) {
  const model = scriptedModel([{ toolCalls: [{ name: 'paint', input: { colour: 'red' } }] }, 'Painted.', 'Hello.'])
  return { model, agent: new Agent({ name: 'Painter', functions: [look], model, ...options }) }
}

const refusal = async (specs: unknown, options?: Partial<Omit<AgentOptions, 'model'>>): Promise<string> => {
  const start = async () => painter(options).agent.stream('Paint', { clientTools: specs as never }).result
  return start().then(
    ({ error }) => error?.message ?? 'accepted',
    (error) => error.message,
  )
}

/** A schema whose definitions refer one to the other; with `reversed` the last one is listed first. */
function chain(length: number, reversed = false): JSONSchema {
  const links = Array.from({ length }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }] as const)
  const $defs = Object.fromEntries([...(reversed ? links.toReversed() : links), [`d${length}`, {}]])
  return { type: 'object', $defs, properties: { a: { $ref: '#/$defs/d0' } } }
}

function deep(levels: number): JSONSchema {
  let schema: JSONSchema = { type: 'object' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe('tools that a client brings', () => {
  it('are offered in that run only, and executed by the client', async () => {
    const { agent, model } = painter()
    const run = agent.stream('Paint', { clientTools: [paint] })
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      expect(event).toMatchObject({ kind: 'client-tool', name: 'paint', input: { colour: 'red' } })
      await run.answer(event.approvalId, 'done')
    }
    expect((await run.result).text).toBe('Painted.')
    await agent.chat('Hi')
    const offered = model.requests.map(({ tools = [] }) => tools.map(({ name }) => name))
    expect(offered).toEqual([['look', 'paint'], ['look', 'paint'], ['look']])
  })

  it('are those of the run in another process too', async () => {
    const disk = memoryDisk()
    const first = painter({ clientTools: { max: 1 }, sessions: disk.open().store })
    const { runId, approvals } = await first.agent.stream('Paint', { sessionId: 's', clientTools: [paint] }).result
    const model = scriptedModel(['Painted.'])
    const second = new Agent({ name: 'Painter', functions: [look], model, sessions: disk.open().store })
    const decisions = { [approvals[0]?.approvalId ?? '']: { result: 'done' } }
    expect((await second.resume(runId, decisions).result).text).toBe('Painted.')
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['look', 'paint'])
  })

  it('are none, where the agent does not take any', async () => {
    expect(await refusal([paint], {})).toBe('The agent takes no tools of clients. Give it `clientTools: { max: 10 }`.')
    expect(await refusal([], {})).not.toContain('takes no tools')
  })

  it.each<[string, unknown, string]>([
    [
      'too many',
      [paint, { ...paint, name: 'b' }, { ...paint, name: 'c' }],
      '3 tools of the client are too many: at most 2',
    ],
    ['a name of the agent', [{ ...paint, name: 'look' }], 'has the name of another one, "look"'],
    [
      'the name of the tool that reads long results',
      [{ ...paint, name: 'read_tool_result' }],
      'has the name of another one, "read_tool_result"',
    ],
    ['one name twice', [paint, paint], 'has the name of another one, "paint"'],
    ['a name that no model takes', [{ ...paint, name: 'a b' }], 'a name has 1 to 64 letters'],
    ['no description', [{ ...paint, description: undefined }], 'its description is a text of at most 4000'],
    ['a long description', [{ ...paint, description: 'x'.repeat(4_001) }], 'its description is a text of at most 4000'],
    ['no schema', [{ ...paint, inputSchema: undefined }], 'its input is not an object'],
    [
      'a large schema',
      [{ ...paint, inputSchema: { type: 'object', title: 'x'.repeat(65_536) } }],
      'more than 65536 bytes',
    ],
    ['a deep schema', [{ ...paint, inputSchema: deep(20) }], 'nested deeper than 32 levels'],
    ['one too deep for JSON', [{ ...paint, inputSchema: deep(10_000) }], 'nested deeper than 32 levels'],
    ['a circle', [{ ...paint, inputSchema: { type: 'object', properties: { a: { $ref: '#' } } } }], 'refers to itself'],
    [
      'a circle whose reference is encoded',
      [{ ...paint, inputSchema: { type: 'object', properties: { a: { $ref: '#/properties/%61' } } } }],
      'refers to itself',
    ],
    ['a chain of 1,500 references', [{ ...paint, inputSchema: chain(1_500) }], 'more than 200 levels deep'],
    ['such a chain from its end', [{ ...paint, inputSchema: chain(1_500, true) }], 'more than 200 levels deep'],
    ['no tools', [null], 'its description is'],
    ['no list', 'paint', '`clientTools`'],
  ])('are refused with %s', async (_, specs, message) => {
    expect(await refusal(specs)).toContain(message)
  })

  it.each([
    ['could block the process', '^(r+)+$'],
    ['RegExp has no longer with the flag u', '^https\\:\\/\\/'],
    ['are of Python', '(?i)^(?P<colour>red)\\Z'],
  ])('have no patterns, which %s', async (_, pattern) => {
    const { agent, model } = painter()
    const colour = { type: 'string', pattern }
    const inputSchema = { type: 'object', properties: { colour } }
    await agent.stream('Paint', { clientTools: [{ ...paint, inputSchema }] }).result
    expect(model.requests[0]?.tools?.[1]?.inputSchema).toEqual({
      ...inputSchema,
      properties: { colour: { type: 'string', description: `Pattern: ${pattern}` } },
    })
  })

  it.each([{ max: 0 }, { max: 257 }, { max: 1.5 }, { most: 3 }, true])('have a bound, not %j', (clientTools) => {
    expect(() => painter({ clientTools: clientTools as never })).toThrow('{ max }')
  })
})
