import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { convertedOf } from '../contracts/converted-of-run.ts'
import {
  Agent,
  AgentKitError,
  type Hooks,
  type Message,
  type Model,
  type ModelRequest,
  memorySessions,
} from '../index.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'

const info = { contextWindow: 4_000, maxOutputTokens: 500 }
const words = (count: number): string => 'word '.repeat(count)
const key = { agentId: 'test', userId: 'default', sessionId: 's' }
const session = { sessionId: 's' }

describe('a question that may be too long', () => {
  it('is sent when only the high estimate exceeds the window', async () => {
    const model = scriptedModel(['Long.'], { info })
    const agent = new Agent({ name: 'Test', functions: [], model })
    expect(await agent.chat(words(2_600))).toBe('Long.')
  })

  it('is sent with its file, for any estimate of the file', async () => {
    const model = scriptedModel(['Read.'], { info })
    const agent = new Agent({ name: 'Test', functions: [], model })
    const file = { type: 'file' as const, data: new Uint8Array(300_000), mediaType: 'application/pdf' }
    expect(await agent.chat([{ type: 'text', text: 'What does it say?' }, file])).toBe('Read.')
  })

  it('is refused without a model call when it cannot fit, with the numbers', async () => {
    const model = scriptedModel([], { info })
    const { error } = await new Agent({ name: 'Test', functions: [], model }).stream(words(9_000)).result
    expect(error).toMatchObject({ code: 'context-overflow' })
    expect(error?.message).toMatch(/has room for 3\d\d\d/)
    expect(model.requests).toEqual([])
  })

  it('is not blamed for an instruction that is too long', async () => {
    const model = scriptedModel([], { info })
    const agent = new Agent({ name: 'Test', instruction: words(9_000), functions: [], model })
    const { error } = await agent.stream('Hi').result
    expect(error).toMatchObject({
      code: 'context-overflow',
      message: expect.stringMatching(/^The instruction and the/),
    })
  })

  it('returns the error of a model that rejects it as too long, when nothing can be removed', async () => {
    const overflow = new AgentKitError('context-overflow', 'The provider says so.')
    const model = scriptedModel([overflow], { info })
    const { error } = await new Agent({ name: 'Test', functions: [], model }).stream(words(1_500)).result
    expect(error?.message).toBe('The provider says so.')
  })
})

describe('a fallback model with less room', () => {
  it('receives less, and does not change the stored messages for the preferred model', async () => {
    const history: Message[] = Array.from({ length: 40 }, (_, turn) => [
      { role: 'user' as const, content: `Turn ${turn}. ${words(60)}` },
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: `Answer ${turn}.` }] },
    ]).flat()
    const sessions = memorySessions()
    const large = scriptedModel([new AgentKitError('quota', 'Spent.'), 'Large.'], { id: 'a/large' })
    const answer: ScriptedTurn = ({ messages }) => (messages[0]?.role === 'system' ? `Summary: ${words(40)}` : 'Small.')
    const small = scriptedModel(
      Array.from({ length: 20 }, () => answer),
      { id: 'b/small', info },
    )
    const agent = new Agent({ name: 'Test', functions: [], model: [large, small], sessions })
    expect(await agent.chat('And?', { ...session, history })).toBe('Small.')
    expect(small.requests.at(-1)?.messages.length).toBeLessThan(40)
    expect((await sessions.load(key))?.state).toBeUndefined()
    expect(await agent.chat('And now?', session)).toBe('Large.')
    expect(large.requests.at(-1)?.messages).toHaveLength(83)
  })
})

it('makes room for the opaque data of a provider', async () => {
  const opaque = { owner: 'a/model', data: 'signed'.repeat(1_000) }
  const history: Message[] = Array.from({ length: 10 }, (_, turn) => [
    { role: 'user' as const, content: `Question ${turn}` },
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.', opaque }] },
  ]).flat()
  const answer: ScriptedTurn = ({ messages }) => (messages[0]?.role === 'system' ? words(40) : 'Done.')
  const model = scriptedModel([answer, answer, answer], { info })
  const agent = new Agent({ name: 'Test', functions: [], model })
  expect(await agent.chat('And?', { history })).toBe('Done.')
  expect(estimateRequest(model.requests.at(-1) as ModelRequest, info)).toBeLessThan(info.contextWindow)
})

describe('the messages of a run that providers keep', () => {
  const functions = [{ name: 'look', description: '', inputSchema: { type: 'object' }, execute: () => 'Seen.' }]
  const turns = [...Array.from({ length: 6 }, (_, at) => ({ toolCalls: [{ name: 'look', input: { at } }] })), 'Done.']

  /** Runs an agent twice. @returns what each request of each run had */
  async function keptBy(hooks: Hooks): Promise<unknown[][]> {
    const scripted = scriptedModel([...turns, ...turns])
    const kept: unknown[] = []
    const stream: Model['stream'] = (request, signal) => {
      kept.push(convertedOf(request))
      return scripted.stream(request, signal)
    }
    const agent = new Agent({ name: 'Test', functions, model: { id: 'test/kept', stream }, hooks, guard: false })
    for (let run = 0; run < 2; run++) await agent.chat('Go')
    return [kept.slice(0, 7), kept.slice(7)]
  }

  it('is kept from the eighth message on, for one run', async () => {
    const runs = await keptBy({})
    for (const kept of runs) {
      expect(kept).toEqual([...Array(4).fill(undefined), ...Array(3).fill(new Map())])
      expect(new Set(kept.slice(4)).size).toBe(1)
    }
    expect(runs[0]?.[6]).not.toBe(runs[1]?.[6])
  })

  it('is not kept of a request that a hook has changed', async () => {
    const kept = await keptBy({ beforeModel: (request) => ({ ...request, temperature: 0 }) })
    expect(kept.flat()).toEqual(Array(14).fill(undefined))
  })
})
