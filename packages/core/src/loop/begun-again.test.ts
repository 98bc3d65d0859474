import { describe, expect, it } from 'vitest'
import { Agent } from '../agents/agent.ts'
import type { AgentOptions } from '../agents/agent-options.ts'
import type { Model, ModelEvent } from '../contracts/model.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { tool } from '../tools/define-tool.ts'

const delta = (text: string): ModelEvent => ({ type: 'text-delta', text })
const finish = (...content: object[]): ModelEvent =>
  ({ type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content } }) as ModelEvent
const textPart = (text: string): object => ({ type: 'text', text })

/** A model whose answers begin again: the deltas have both beginnings, the message only the second one. */
function begunAgain<Output = undefined>(
  answers: ModelEvent[][],
  options: Partial<AgentOptions<Output>> = {},
): { agent: Agent<Output>; seen: unknown[] } {
  const seen: unknown[] = []
  const model: Model = {
    id: 'home/proxied',
    async *stream({ messages }) {
      seen.push(structuredClone(messages))
      yield* answers.shift() ?? []
    },
  }
  return {
    agent: new Agent<Output>({ name: 'Test', functions: [], model, sessions: memorySessions(), ...options }),
    seen,
  }
}

const proxied = [
  { type: 'reasoning-delta', text: 'Hm. ' } as ModelEvent,
  delta('Hal'),
  { type: 'reasoning-delta', text: 'So.' } as ModelEvent,
  delta('Hel'),
  delta('lo'),
  finish({ type: 'reasoning', text: 'So.' }, textPart('Hello')),
]

describe('a model that begins its answer again', () => {
  it('has answered what its message says, in the result, the events and the next request', async () => {
    const { agent, seen } = begunAgain([proxied, [delta('Bye'), finish(textPart('Bye'))]])
    const run = agent.stream('Hi', { sessionId: 's' })
    const events: string[] = []
    for await (const event of run) {
      if (event.type === 'step-restart') events.push(`restart ${event.step} ${event.error.code}`)
      else events.push('text' in event ? `${event.type} ${event.text}` : event.type)
    }
    expect(events).toEqual([
      ...['run-start', 'step-start', 'reasoning-delta Hm. ', 'text-delta Hal', 'reasoning-delta So.'],
      ...['text-delta Hel', 'text-delta lo', 'restart 1 malformed-stream'],
      ...['reasoning-delta So.', 'text-delta Hello', 'step-end', 'run-end Hello'],
    ])
    expect(await run.result).toMatchObject({ text: 'Hello', steps: 1, finishReason: 'stop' })
    expect(await agent.chat('Bye', { sessionId: 's' })).toBe('Bye')
    expect(JSON.stringify(seen[1])).not.toContain('Hal')
  })

  it('has the output of its message, in one step', async () => {
    const json = '{"seats":3}'
    const output = { type: 'object', properties: { seats: { type: 'number' } }, required: ['seats'] }
    const { agent, seen } = begunAgain([[delta('{"seats":'), delta(json), finish(textPart(json))]], { output })
    const run = agent.stream('Book')
    const drafts: unknown[] = []
    for await (const draft of run.partials()) drafts.push(structuredClone(draft))
    expect(drafts.at(-1)).toEqual({ seats: 3 })
    expect(await run.result).toMatchObject({ text: json, output: { seats: 3 }, finishReason: 'stop' })
    expect(seen).toHaveLength(1)
  })

  it('emits its calls again', async () => {
    const call = { type: 'tool-call', callId: 'a', name: 'act', input: {} } as const
    const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'acted' })
    const first = [delta('I a'), delta('I act.'), call, { ...finish(textPart('I act.'), call), reason: 'tool-calls' }]
    const answers = [first as ModelEvent[], [delta('Done.'), finish(textPart('Done.'))]]
    const { agent } = begunAgain(answers, { functions: [act] })
    const events: string[] = []
    for await (const { type } of agent.stream('Go')) events.push(type)
    const expected = ['text-delta', 'text-delta', 'tool-call', 'step-restart', 'text-delta', 'tool-call', 'tool-result']
    expect(events.slice(2, 9)).toEqual(expected)
  })

  it('emits only the second answer where a hook checks it', async () => {
    const { agent } = begunAgain([proxied], { hooks: { output: ({ text }) => ({ text: `${text}!` }) } })
    const run = agent.stream('Hi')
    let text = ''
    for await (const event of run) {
      if (event.type === 'step-restart') text = ''
      if (event.type === 'text-delta') text += event.text
    }
    expect(text).toBe('Hello!')
    expect((await run.result).text).toBe('Hello!')
  })

  it('does not include one whose message is its text without white space around it', async () => {
    const { agent } = begunAgain([[delta('Hello \n'), finish(textPart('Hello'))]])
    const run = agent.stream('Hi')
    const types: string[] = []
    for await (const { type } of run) types.push(type)
    expect(types).not.toContain('step-restart')
    expect((await run.result).text).toBe('Hello \n')
  })
})
