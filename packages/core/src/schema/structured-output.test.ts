import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { ModelRequest, ToolCall } from '../contracts/model.ts'
import type { StandardSchema } from '../contracts/standard-schema.ts'
import type { AssistantMessage, JSONSchema, JSONValue } from '../data/message.ts'
import { validateTranscript } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import {
  askForOutput,
  asTextAnswer,
  compileOutput,
  finalToolName,
  outputStrategy,
  type ReadOutput,
  readOutput,
  repairNote,
} from './structured-output.ts'

const citySchema = z.object({ city: z.string() })
const format = await compileOutput(citySchema)
const { signal } = new AbortController()
const echo = { name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' } }
const request: ModelRequest = { messages: [{ role: 'user', content: 'Where?' }], temperature: 0 }

describe('the output strategy of a model', () => {
  it.each([
    ['always', false, 'native'],
    ['always', true, 'native'],
    ['without-tools', false, 'native'],
    ['without-tools', true, 'final-tool'],
    ['never', false, 'final-tool'],
    ['never', true, 'final-tool'],
  ] as const)('natively %s, tools %s: %s', (nativeOutput, hasTools, strategy) => {
    expect(outputStrategy({ nativeOutput }, hasTools)).toBe(strategy)
  })

  it.each([undefined, {}])('is a tool when nothing is known of the model: %j', (info) => {
    expect(outputStrategy(info, false)).toBe('final-tool')
    expect(outputStrategy(info, true)).toBe('final-tool')
  })
})

describe('a request', () => {
  it('asks the provider for the format, beside the tools', () => {
    const asked = { ...request, tools: [echo], toolChoice: 'auto' as const }
    expect(askForOutput(asked, format, 'native')).toEqual({ ...asked, output: format.json })
  })

  it('has an answer tool, which is required when it is the only one', () => {
    const asked = askForOutput(request, format, 'final-tool')
    expect(asked).toEqual({
      ...request,
      tools: [{ name: 'final_answer', description: expect.stringContaining('answer'), inputSchema: format.json }],
      toolChoice: { tool: 'final_answer' },
    })
    expect(askForOutput({ ...request, tools: [] }, format, 'final-tool')).toEqual(asked)
  })

  it('has that tool last, and requires a tool call', () => {
    const asked = askForOutput({ ...request, tools: [echo] }, format, 'final-tool')
    expect(asked.tools?.map(({ name }) => name)).toEqual(['echo', 'final_answer'])
    expect(asked).toMatchObject({ toolChoice: 'required' })
  })

  it.each([
    [{ tool: 'echo' }, { tool: 'echo' }],
    ['none', { tool: 'final_answer' }],
    ['auto', 'required'],
  ] as const)('keeps the choice of a tool by the agent: %j', (toolChoice, expected) => {
    const asked = askForOutput({ ...request, tools: [echo], toolChoice }, format, 'final-tool')
    expect(asked.toolChoice).toEqual(expected)
  })

  it('does not change the original request', () => {
    const tools = [echo]
    askForOutput({ ...request, tools }, format, 'final-tool')
    expect(tools).toEqual([echo])
  })

  it('gives the tool a unique name', () => {
    const named = (...names: string[]) => names.map((name) => ({ ...echo, name }))
    expect(finalToolName(named('final_answer', 'final_answer_3'))).toBe('final_answer_2')
    const asked = askForOutput({ ...request, tools: named('final_answer', 'final_answer_2') }, format, 'final-tool')
    expect(asked.tools?.at(-1)?.name).toBe('final_answer_3')
  })
})

let calls = 0

function call(input: JSONValue, name = 'final_answer'): ToolCall {
  return { type: 'tool-call', callId: `call_${++calls}`, name, input }
}

function invalidCall(inputText: string): ToolCall {
  return { ...call(null), input: undefined, inputText, invalid: 'Unexpected end of JSON input' }
}

function read(reply: { text?: string; calls?: ToolCall[] }, of = format): Promise<ReadOutput> {
  return readOutput({ text: '', calls: [], ...reply }, of, signal, 'final_answer')
}

const oslo = { kind: 'output', value: { city: 'Oslo' }, text: '{"city":"Oslo"}' }

describe('a reply', () => {
  it('that calls other tools continues, even if it contains the answer', async () => {
    expect(await read({ calls: [call({}, 'echo')] })).toEqual({ kind: 'tools' })
    expect(await read({ text: '{"city":"Oslo"}', calls: [call({ city: 'Oslo' }), call({}, 'echo')] })).toEqual({
      kind: 'tools',
    })
    expect(await readOutput({ text: '', calls: [call({ city: 'Oslo' })] }, format, signal)).toEqual({ kind: 'tools' })
  })

  it.each<[string, { text?: string; calls?: ToolCall[] }]>([
    ['a call', { calls: [call({ city: 'Oslo' })] }],
    ['a call, whatever is said beside it', { text: 'I have it: {"city":"Ur"}', calls: [call({ city: 'Oslo' })] }],
    ['the last call that fits', { calls: [call({ city: 'Ur' }), call({ city: 'Oslo' }), call({ city: 7 })] }],
    ['a call whose input was written twice as JSON', { calls: [call('{"city":"Oslo"}')] }],
    [
      'a call whose arguments parse but for what is around them',
      { calls: [invalidCall('```json\n{"city":"Oslo"}\n```')] },
    ],
    ['the text', { text: '{"city":"Oslo"}' }],
    ['the text with space around it', { text: '\n {"city":"Oslo"}\n' }],
    ['a fenced block', { text: 'Here:\n```json\n{"city":"Oslo"}\n```\nAnything else?' }],
    ['prose', { text: 'It is {"city":"Oslo"}, as in [1] and {"page":3}.' }],
    ['the last block that fits', { text: 'Not {"city":"Ur"} but {"city":"Oslo"}; {"city":7} is wrong.' }],
  ])('answers with %s', async (_name, reply) => {
    expect(await read(reply)).toEqual(oslo)
  })

  it('has the output that the schema produces; the text is the JSON that the model wrote', async () => {
    const schemas: (StandardSchema | JSONSchema)[] = [
      z.object({ at: z.string().transform(Number), unit: z.string().default('C') }),
      z3.object({ at: z3.string().transform(Number), unit: z3.string().default('C') }),
      v.object({ at: v.pipe(v.string(), v.transform(Number)), unit: v.optional(v.string(), 'C') }),
      type({ at: 'string.numeric.parse', unit: "string = 'C'" }),
    ]
    for (const schema of schemas) {
      const answer = { kind: 'output', value: { at: 7, unit: 'C' }, text: '{"at":"7"}' }
      expect(await read({ text: '{"at":"7"}' }, await compileOutput(schema))).toEqual(answer)
      expect(await read({ calls: [call({ at: '7' })] }, await compileOutput(schema))).toEqual(answer)
    }
  })

  it('may have an output that is not an object, or null', async () => {
    const list = await compileOutput(z.array(z.string()))
    expect(await read({ calls: [call({ value: ['a'] })] }, list)).toEqual({
      kind: 'output',
      value: ['a'],
      text: '{"value":["a"]}',
    })
    expect(await read({ text: 'So:\n```json\n["a"]\n```' }, list)).toEqual({
      kind: 'output',
      value: ['a'],
      text: '["a"]',
    })
    const nothing = await compileOutput(z.string().nullable())
    expect(await read({ text: '{"value":null}' }, nothing)).toEqual({
      kind: 'output',
      value: null,
      text: '{"value":null}',
    })
  })

  it('returns a new object, not the input of the call', async () => {
    const input = { city: 'Oslo' }
    const answer = await read({ calls: [call(input)] }, await compileOutput({ type: 'object' }))
    expect(answer).toMatchObject({ value: input })
    expect(answer.kind === 'output' && answer.value).not.toBe(input)
  })
})

describe('an invalid reply has its problems', () => {
  it.each<[string, { text?: string; calls?: ToolCall[] }, RegExp]>([
    ['nothing', {}, /^It is empty\.$/],
    ['prose', { text: 'It is Oslo.' }, /^It contains no complete JSON object\.$/],
    ['half an answer', { text: '{"city":"Oslo' }, /^It contains no complete JSON object\.$/],
    ['another text', { text: '{"city":7}' }, /^It does not fit the schema\. city: .*string.*[^.]\.$/],
    ['another call', { calls: [call({ town: 'Oslo' })] }, /^It does not fit the schema\. city: .*\.$/],
    [
      'a call that does not parse',
      { calls: [invalidCall('{"city":')] },
      /^Its arguments are not valid JSON \(Unexpected end of JSON input\)\.$/,
    ],
    ['the longest block', { text: '{"city":7,"about":"the capital"} as in {}' }, /received number/],
  ])('%s', async (_name, reply, problems) => {
    expect(await read(reply)).toEqual({ kind: 'problems', problems: expect.stringMatching(problems) })
  })

  it('as a sentence with every path', async () => {
    const strict = await compileOutput(z.object({ a: z.number(), list: z.array(z.object({ b: z.number('Give b.') })) }))
    const { problems } = (await read({ text: '{"list":[{}]}' }, strict)) as { problems: string }
    expect(problems).toMatch(/^It does not fit the schema\. a: [^;]+; list\.0\.b: Give b\.$/)
  })

  it('briefly, however many there are', async () => {
    const wordy = await compileOutput(z.object({ a: z.string('x'.repeat(1_000_000)) }))
    const { problems } = (await read({ text: '{}' }, wordy)) as { problems: string }
    expect(problems.length).toBeLessThanOrEqual(limits.toolErrorBytes)
    expect(problems).toMatch(/\[cut: \d+ of 10000\d\d characters shown\]$/)
  })

  it('without secrets', async () => {
    const leaky = await compileOutput(z.object({ a: z.string('not in sk-abcdefghijklmnop') }))
    expect(await read({ text: '{}' }, leaky)).toEqual({
      kind: 'problems',
      problems: expect.stringContaining('[redacted]'),
    })
  })

  it('when the validator throws', async () => {
    const throwing = await compileOutput(z.object({ a: z.string().transform((json) => JSON.parse(json)) }))
    expect(await read({ calls: [call({ a: '{' })] }, throwing)).toEqual({
      kind: 'problems',
      problems: expect.stringContaining('JSON'),
    })
  })

  it('when it is a megabyte of any text', async () => {
    for (const text of [
      '['.repeat(1e6),
      '{}'.repeat(5e5),
      'so '.repeat(3e5),
      `{"city":${'['.repeat(5e5)}${']'.repeat(5e5)}}`,
    ]) {
      expect(await read({ text })).toMatchObject({ kind: 'problems' })
    }
    expect(await read({ text: JSON.stringify({ city: 'x'.repeat(1e6) }) })).toMatchObject({ kind: 'output' })
  })
})

describe('the note for a model', () => {
  it('which value does not fit, and which answer is expected', () => {
    const note = repairNote('It is empty.', format)
    expect(note).toMatch(/^Your answer was not accepted\. It is empty\. Answer again with JSON/)
    expect(note).toContain(JSON.stringify(format.json))
    expect(repairNote('It is empty.', format, 'final_answer')).toBe(
      'Your answer was not accepted. It is empty. Answer again by calling final_answer.',
    )
  })
})

describe('a stored reply', () => {
  const reply: AssistantMessage = { v: 1, role: 'assistant', content: [], model: 'test/one' }
  const opaque = { owner: 'test/one', data: 'signature' }
  const answer = { ...reply, content: [{ type: 'text', text: '{"city":"Oslo"}' }] }

  it.each<[string, AssistantMessage['content']]>([
    ['a call', [{ type: 'tool-call', callId: 'a', name: 'final_answer', input: { city: 'Oslo' }, opaque }]],
    [
      'a call with all that led to it',
      [
        { type: 'reasoning', text: 'Hm.', opaque },
        { type: 'text', text: 'I have it.', opaque },
        { type: 'tool-call', callId: 'a', name: 'final_answer', input: { city: 'Oslo' } },
        { type: 'tool-call', callId: 'b', name: 'final_answer', input: { city: 'Oslo' } },
      ],
    ],
    [
      'a call that says what the text says',
      [
        { type: 'text', text: '{"city":"Oslo"}' },
        { type: 'tool-call', callId: 'a', name: 'final_answer', input: { city: 'Oslo' } },
      ],
    ],
    ['prose', [{ type: 'text', text: 'It is {"city":"Oslo"}.', opaque }]],
  ])('as text that every model can read: %s', (_name, content) => {
    const stored = asTextAnswer({ ...reply, content }, '{"city":"Oslo"}')
    expect(stored).toEqual(answer)
    expect(validateTranscript([{ role: 'user', content: 'Where?' }, stored])).toEqual([])
  })

  it('is unchanged when it has only the answer', () => {
    const exact: AssistantMessage = {
      ...reply,
      content: [
        { type: 'reasoning', text: 'Hm.', opaque },
        { type: 'text', text: '{"city":', opaque },
        { type: 'text', text: '"Oslo"}' },
      ],
    }
    expect(asTextAnswer(exact, '{"city":"Oslo"}')).toBe(exact)
  })
})
