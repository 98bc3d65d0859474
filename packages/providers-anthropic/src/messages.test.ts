import type { AssistantPart, Message, UserPart } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { toAnthropicTurns } from './messages.ts'

const owner = 'anthropic/claude-opus-5-5'
const hi: Message = { role: 'user', content: 'hi' }

const assistant = (...content: AssistantPart[]): Message => ({ role: 'assistant', content })
const said = (text: string): AssistantPart => ({ type: 'text', text })
const called = (callId: string, input: object = {}, name = 'weather'): AssistantPart => ({
  type: 'tool-call',
  callId,
  name,
  input: input as { [key: string]: string },
})
const result = (callId: string, content: string = 'rain', isError = false): Message => ({
  role: 'tool',
  callId,
  name: 'weather',
  content,
  ...(isError && { isError }),
})

function turns(...messages: Message[]) {
  return toAnthropicTurns(messages, owner, [])
}

function blocks(...messages: Message[]) {
  return turns(...messages).map(({ content }) => content)
}

describe('toAnthropicTurns', () => {
  it('moves instructions in the middle into a user turn', () => {
    expect(turns(hi, { role: 'system', content: ' ' })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ])
    expect(turns(hi, { role: 'system', content: 'Three.' })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: '<system>\nThree.\n</system>' },
        ],
      },
    ])
  })

  it('leaves out text that is empty or white (Q1)', () => {
    expect(
      blocks(hi, assistant(said('\n\n'), called('a')), result('a', ' '), {
        role: 'user',
        content: [said(' ') as UserPart],
      }),
    ).toEqual([
      [{ type: 'text', text: 'hi' }],
      [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }],
      [{ type: 'tool_result', tool_use_id: 'a' }],
    ])
  })

  it('answers calls without results, and drops results without calls (Q3)', () => {
    expect(turns(hi, result('x'), assistant(called('a')), hi)).toMatchObject([
      { role: 'user', content: [{ type: 'text' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true }, { text: 'hi' }] },
    ])
  })

  it('gives ids that do not fit others, the same for call and result (Q6)', () => {
    const [odd, long] = ['fc_1|call.1', 'x'.repeat(65)]
    const [, call, answer] = blocks(
      hi,
      assistant(called(odd), called(long), called('toolu_1')),
      ...[odd, long, 'toolu_1'].map((id) => result(id)),
    )
    const ids = call?.map((block) => (block.type === 'tool_use' ? block.id : ''))
    const fitting = expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(ids).toEqual([fitting, fitting, 'toolu_1'])
    expect(answer?.map((block) => (block.type === 'tool_result' ? block.tool_use_id : ''))).toEqual(ids)
  })

  it('makes ids unique that were used twice (Q7)', () => {
    const [, first, , second] = blocks(hi, assistant(called('a')), result('a'), assistant(called('a')), result('a'))
    expect(first).toMatchObject([{ id: 'a' }])
    expect(second).toMatchObject([{ id: 'a_2' }])
  })

  it('replaces half characters, also in the input of a call (Q18)', () => {
    const text = JSON.stringify(
      turns({ role: 'user', content: 'a\ud83d' }, assistant(called('a', { b: '\ud83d' })), result('a', '\ud83d')),
    )
    expect(text).not.toContain('\\ud83d')
    expect(text).toContain('\ufffd')
  })

  it('lets users and assistants take turns, a user first and last (Q4, Q19)', () => {
    const continuePrompt = { role: 'user', content: [{ type: 'text', text: 'Continue.' }] }
    const one = { role: 'assistant', content: [{ type: 'text', text: 'one' }] }
    expect(turns(assistant(said('one')), assistant(said('one')))).toEqual([
      continuePrompt,
      one,
      continuePrompt,
      one,
      continuePrompt,
    ])
    expect(turns()).toEqual([continuePrompt])
    expect(turns(hi, hi)).toMatchObject([{ role: 'user', content: [{ text: 'hi' }, { text: 'hi' }] }])
  })

  it('puts all results of an answer into one message, before any text (Q33)', () => {
    expect(blocks(hi, assistant(called('a'), called('b')), result('a'), result('b'), hi)[2]).toMatchObject([
      { type: 'tool_result', tool_use_id: 'a', content: 'rain' },
      { type: 'tool_result', tool_use_id: 'b' },
      { type: 'text', text: 'hi' },
    ])
  })

  it('puts calls last in an answer (Q34)', () => {
    expect(blocks(hi, assistant(called('a'), said('Let me see.')), result('a'))[1]).toMatchObject([
      { type: 'text' },
      { type: 'tool_use' },
    ])
  })

  it('puts calls last in an answer that begins with thinking, too (Q34)', () => {
    const thought = { type: 'reasoning' as const, text: 'Hm.', opaque: { owner, data: { signature: 'sig' } } }
    expect(blocks(hi, assistant(thought, called('a'), said('Let me see.')), result('a'))[1]).toMatchObject([
      { type: 'thinking' },
      { type: 'text' },
      { type: 'tool_use' },
    ])
  })

  it("replays the model's own thinking as it was, in its order, also without text (Q36)", () => {
    const opaque = (data: { [key: string]: string }): { owner: string; data: { [key: string]: string } } => ({
      owner,
      data,
    })
    const message = assistant(
      { type: 'reasoning', text: ' Hm.\n', opaque: opaque({ signature: 'sig-1' }) },
      { type: 'reasoning', text: '', opaque: opaque({ redacted: 'secret' }) },
      called('a'),
      { type: 'reasoning', text: '', opaque: opaque({ signature: 'sig-2' }) },
      called('b'),
    )
    expect(blocks(hi, message, result('a'), result('b'))[1]).toMatchObject([
      { type: 'thinking', thinking: ' Hm.\n', signature: 'sig-1' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'tool_use', id: 'a' },
      { type: 'thinking', thinking: '', signature: 'sig-2' },
      { type: 'tool_use', id: 'b' },
    ])
  })

  it.each([
    ['another model', { owner: 'anthropic/claude-opus-5', data: { signature: 'x' } }],
    ['another provider', { owner: 'openai/gpt-6-sol', data: { id: 'rs_1', encrypted_content: 'x' } }],
    ['no model', undefined],
    ['a wrong hand', { owner, data: 'x' }],
  ])('leaves out reasoning of %s (Q5)', (_name, opaque) => {
    const reasoning: AssistantPart = { type: 'reasoning', text: 'Hm.', ...(opaque && { opaque }) }
    expect(blocks(hi, assistant(reasoning, said('hello')), hi)[1]).toEqual([{ type: 'text', text: 'hello' }])
  })

  it('leaves out an answer of thinking alone', () => {
    const reasoning: AssistantPart = { type: 'reasoning', text: 'Hm.', opaque: { owner, data: { signature: 'x' } } }
    expect(turns(hi, assistant(reasoning), hi)).toHaveLength(1)
  })

  it('leaves out the thinking at the end of an answer that was cut off after it', () => {
    const thought: AssistantPart = { type: 'reasoning', text: 'Hm.', opaque: { owner, data: { signature: 'x' } } }
    expect(blocks(hi, assistant(thought, said('hello'), thought), hi)[1]).toMatchObject([
      { type: 'thinking' },
      { type: 'text', text: 'hello' },
    ])
    expect(blocks(hi, assistant(thought, called('a'), thought), result('a'))[1]).toMatchObject([
      { type: 'thinking' },
      { type: 'tool_use' },
    ])
  })

  it('sends a called name in the form of the API, and its input as an object (Q29)', () => {
    const message = assistant({ ...called('a', {}, 'multi_tool_use.parallel'), input: ['x'] } as AssistantPart)
    expect(blocks(hi, message)[1]).toMatchObject([{ name: 'multi_tool_use_parallel', input: { input: ['x'] } }])
  })

  it('gives the images of a result natively (Q20)', () => {
    const image = { type: 'image', base64: 'iVBORw0KGgo=' } as const
    const message: Message = {
      role: 'tool',
      callId: 'a',
      name: 'weather',
      content: [{ type: 'text', text: 'See:' }, image],
    }
    expect(blocks(hi, assistant(called('a')), message)[2]).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
    ])
  })

  it('gives a failed call a reason in words alone', () => {
    const failed: Message = {
      role: 'tool',
      callId: 'b',
      name: 'weather',
      content: [{ type: 'image', base64: 'iVBORw0KGgo=' }],
      isError: true,
    }
    const warnings: string[] = []
    const turns = toAnthropicTurns(
      [hi, assistant(called('a'), called('b')), result('a', '', true), failed],
      owner,
      warnings,
    )
    expect(turns[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'The call failed.', is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: '[image left out]', is_error: true },
    ])
    expect(warnings).toHaveLength(1)
  })

  it('gives the same turns whether messages can change or not', () => {
    const messages = [hi, assistant(called('a')), result('a'), hi, assistant(said('one')), assistant(said('two')), hi]
    const frozen = messages.map((message) => Object.freeze({ ...message }))
    expect(turns(...frozen.slice(0, 4))).toEqual(turns(...messages.slice(0, 4)))
    expect(turns(...frozen)).toEqual(turns(...messages))
    expect(turns(...frozen)).toEqual(turns(...messages))
  })
})
