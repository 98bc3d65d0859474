import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { follow, payer, session, sessionKey, shown } from '../__fixtures__/payer.ts'
import { type Message, type ModelRequest, type Tool, tool } from '../index.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'

const numbers = Array.from({ length: 60_000 }, (_, index) => `line ${index}`).join('\n')
const small = { info: { contextWindow: 8_000, maxOutputTokens: 500 } }
const callBook: ScriptedTurn = { toolCalls: [{ name: 'book', callId: 'b' }] }

describe('a result of more than 256 KB', () => {
  it('is cut, and can be read to its end', async () => {
    const own = payer([callBook, ...readingOn('b', 10)], { functions: [book(numbers)] })
    const { events, result } = await follow(own.agent.stream('Read', session))
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.' })
    expect(readText(result.messages)).toBe(numbers)
    expect(result.messages.find(({ role }) => role === 'tool')?.content).toMatch(
      /\n\[cut: \d+ of 648889 characters shown\. To read on, call read_tool_result with {"call_id":"b","offset":\d+}\]$/,
    )
    for (const event of events)
      if (event.type === 'tool-result') expect(sizeOf(event.output)).toBeLessThanOrEqual(262_144)
    await shown(own)
  })

  it('adds a tool for that from then on, and only then', async () => {
    const { agent, model } = payer([{ toolCalls: [{ name: 'look' }] }, callBook, 'Done.'], {
      functions: [book(numbers), ...looking],
    })
    await agent.chat('Read')
    expect(model.requests.map(namesOf)).toEqual([
      ['book', 'look'],
      ['book', 'look'],
      ['book', 'look', 'read_tool_result'],
    ])
  })

  it('adds it in later runs of the session too, for the stored part', async () => {
    const { agent, model } = payer([callBook, 'Read.', 'Again.'], { functions: [book(numbers)] })
    await agent.chat('Read', session)
    await agent.chat('Again?', session)
    expect(model.requests.map(namesOf)).toEqual([['book'], ['book', 'read_tool_result'], ['book', 'read_tool_result']])
  })

  it('may be JSON', async () => {
    const list = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `Name ${id}` }))
    const own = payer([callBook, ...readingOn('b', 12)], { functions: [book(list)] })
    const { messages } = await own.agent.stream('Read').result
    expect(JSON.parse(readText(messages))).toEqual(list)
  })

  it.each<[string, unknown, string]>([
    ['of an unknown call', { call_id: 'none', offset: 0 }, 'There is no tool result with the call_id \\"none\\".'],
    ['beyond its end', { call_id: 'b', offset: 1e9 }, 'there is nothing from 1000000000 on'],
    ['from nowhere', { call_id: 'b' }, 'do not fit'],
  ])('cannot be read %s: the model gets an error', async (_, input, words) => {
    const read = { toolCalls: [{ name: 'read_tool_result', input: input as never }] }
    const { agent, model } = payer([callBook, read, 'Done.'], { functions: [book(numbers)] })
    expect(await agent.chat('Read')).toBe('Done.')
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({ isError: true })
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain(words)
  })

  it('is not confused with a later one that has the same id', async () => {
    let times = 0
    const again = tool({
      name: 'book',
      description: 'A book.',
      input: { type: 'object' },
      execute: () => (times++ === 0 ? numbers : 'A short one.'),
    })
    const read = { toolCalls: [{ name: 'read_tool_result', input: { call_id: 'b', offset: 2 } }] }
    const { agent, model } = payer([callBook, callBook, read, 'Done.'], { functions: [again] })
    await agent.chat('Read')
    expect(model.requests[3]?.messages.at(-1)?.content).toContain('short one.')
  })
})

describe('a result that takes more than a quarter of the room', () => {
  it('is stored whole, sent in part, and can be read to its end', async () => {
    const text = numbers.slice(0, 20_000)
    const own = payer([], {
      functions: [book(text)],
      models: [scriptedModel([callBook, ...readingOn('b', 12)], small)],
      maxSteps: 30,
    })
    const { result } = await follow(own.agent.stream('Read', session))
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.' })
    expect(result.messages.find(({ role }) => role === 'tool')?.content).toBe(text)
    for (const request of own.model.requests) expect(estimateRequest(request, small.info)).toBeLessThanOrEqual(7_500)
    const parts = own.model.requests
      .slice(1)
      .map(({ messages }) => messages.filter(({ role }) => role === 'tool').at(-1))
    expect(partsOf(parts as Message[])).toBe(text)
    await shown(own)
  })

  it('can be read in the next turn of its session, and in another process', async () => {
    const text = numbers.slice(0, 20_000)
    const functions = [book(text)]
    const first = payer([], { functions, models: [scriptedModel([callBook, 'Done.'], small)] })
    await first.agent.chat('Read', session)
    const read = { toolCalls: [{ name: 'read_tool_result', input: { call_id: 'b', offset: 19_990 } }] }
    const second = payer([], {
      functions,
      models: [scriptedModel([read, 'It ends so.'], small)],
      store: { ...first.store },
    })
    await second.agent.chat('How does it end?', session)
    expect(second.model.requests.map(namesOf)).toEqual([
      ['book', 'read_tool_result'],
      ['book', 'read_tool_result'],
    ])
    expect(second.model.requests[1]?.messages.at(-1)?.content).toBe(
      `${text.slice(19_990)}\n[characters 19,990–20,000 of 20,000: the end]`,
    )
    expect((await second.store.load(sessionKey))?.messages).toHaveLength(8)
  })

  it('still allows an answer with an output schema', async () => {
    const history: Message[] = [
      { role: 'user', content: 'Read' },
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'b', name: 'book', input: {} }] },
      { role: 'tool', callId: 'b', name: 'book', content: numbers.slice(0, 20_000) },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ]
    // The added tool means that the request has tools, for which this provider needs another output strategy.
    const info = { ...small.info, nativeOutput: 'without-tools' as const }
    const models = [scriptedModel([{ toolCalls: [{ name: 'final_answer', input: { lines: 3 } }] }], { info })] as const
    const own = payer([], { functions: [], models, output: z.object({ lines: z.number() }) })
    const { events, result } = await follow(own.agent.stream('How many?', { history }))
    expect(namesOf(own.model.requests[0] as ModelRequest)).toEqual(['read_tool_result', 'final_answer'])
    expect(result).toMatchObject({ finishReason: 'stop', output: { lines: 3 } })
    expect(JSON.stringify(events)).not.toContain('final_answer')
  })
})

it('results that fit add no tool', async () => {
  const { agent, model } = payer([callBook, 'Done.'], { functions: [book('A short one.')] })
  await agent.chat('Read')
  expect(model.requests.map(namesOf)).toEqual([['book'], ['book']])
})

function book(content: unknown): Tool {
  return tool({ name: 'book', description: 'A book.', input: { type: 'object' }, execute: () => content })
}

const looking = [tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })]

/** Turns that continue reading at the offset in the last result. */
function readingOn(callId: string, times: number): ScriptedTurn[] {
  return Array.from({ length: times }, () => ({ messages }) => {
    const last = JSON.stringify(messages.at(-1))
    const offset = /\\"offset\\":\s*(\d+)/.exec(last)?.[1]
    if (offset === undefined) return 'Done.'
    return { toolCalls: [{ name: 'read_tool_result', input: { call_id: callId, offset: Number(offset) } }] }
  })
}

/** The text of the results, without the notes on how to continue. */
function readText(messages: readonly Message[]): string {
  return partsOf(messages.filter(({ role }) => role === 'tool'))
}

function partsOf(results: readonly Message[]): string {
  return results.map(({ content }) => String(content).replace(/\n\[(?:cut|characters)[^\]]*\]$/, '')).join('')
}

function namesOf({ tools = [] }: ModelRequest): string[] {
  return tools.map(({ name }) => name)
}

function sizeOf(text: unknown): number {
  return new TextEncoder().encode(String(text)).length
}
