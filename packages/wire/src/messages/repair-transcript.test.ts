import { type AssistantMessage, type Message, validateTranscript } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { CallIds, wireCallId } from './call-ids.ts'
import { repairTranscript as repairWith } from './repair-transcript.ts'

const same = (callId: string): string => callId
const repairTranscript = (messages: readonly Message[], toWireId: (callId: string) => string): Message[] =>
  repairWith(messages, new CallIds(toWireId))
const hi: Message = { role: 'user', content: 'hi' }

function calls(...callIds: string[]): AssistantMessage {
  return {
    role: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'echo', input: {} })),
  }
}

function result(callId: string, content = `result of ${callId}`): Message {
  return { role: 'tool', callId, name: 'echo', content }
}

describe('repairTranscript', () => {
  it('leaves a valid conversation unchanged, message by message', () => {
    const messages = [hi, calls('a', 'b'), result('a'), result('b'), hi]
    const repaired = repairTranscript(messages, same)
    expect(repaired).toEqual(messages)
    expect(repaired.every((message, index) => message === messages[index])).toBe(true)
  })

  it.each<[string, Message[]]>([
    ['a call at the end has no result (Q3)', [hi, calls('a')]],
    ['one call of two has no result (Q3)', [hi, calls('a', 'b'), result('b'), hi]],
    ['a result has no call (Q3)', [hi, result('z'), hi]],
    ['a cut history begins with a result (Q4)', [result('z'), hi]],
    ['results come in another order', [hi, calls('a', 'b'), result('b'), result('a')]],
    ['a result comes after the next question', [hi, calls('a'), hi, result('a')]],
    ['a result comes twice', [hi, calls('a'), result('a'), result('a')]],
    ['two calls have one id (Q7)', [hi, calls('a', 'a'), result('a', 'first'), result('a', 'second')]],
    ['a call has no id (Q7)', [hi, calls(''), result('')]],
  ])('repairs it when %s', (_name, messages) => {
    expect(validateTranscript(repairTranscript(messages, (callId) => wireCallId(callId, 40)))).toEqual([])
  })

  it('adds an error result to a call without a result', () => {
    expect(repairTranscript([hi, calls('a')], same).at(-1)).toMatchObject({
      role: 'tool',
      callId: 'a',
      name: 'echo',
      isError: true,
      content: expect.stringContaining('interrupted'),
    })
  })

  it('gives each of two calls with one id its own result', () => {
    const repaired = repairTranscript([calls('a', 'a'), result('a', 'first'), result('a', 'second')], same)
    expect(repaired.slice(1)).toMatchObject([{ content: 'first' }, { content: 'second' }])
  })

  it('replaces ids that repeat in a later turn', () => {
    const repaired = repairTranscript([calls('a'), result('a'), calls('a'), result('a')], (callId) =>
      wireCallId(callId, 40),
    )
    const ids = repaired.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
    expect(new Set(ids).size).toBe(2)
    expect(validateTranscript([hi, ...repaired])).toEqual([])
  })

  it('does not mutate its input', () => {
    const messages = [calls('a|b'), result('a|b')]
    const before = structuredClone(messages)
    repairTranscript(messages, (callId) => wireCallId(callId, 40))
    expect(messages).toEqual(before)
  })
})

describe('wireCallId', () => {
  it.each(['call_1', 'toolu_01A-b', 'functions.echo:0', 'x'.repeat(40)])('keeps %s', (callId) => {
    expect(wireCallId(callId, 40)).toBe(callId)
  })

  it.each(['', 'a|b', 'ü', 'x'.repeat(41), 'a b'])('converts %j deterministically to a valid id (Q6)', (callId) => {
    const wireId = wireCallId(callId, 40)
    expect(wireId).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
    expect(wireCallId(callId, 40)).toBe(wireId)
  })

  it('distinguishes long ids that differ only at their end', () => {
    const long = 'x'.repeat(450)
    expect(wireCallId(`${long}1`, 64)).not.toBe(wireCallId(`${long}2`, 64))
  })

  it('adds a text to an error without one', () => {
    const failed: Message = { role: 'tool', callId: 'a', name: 'x', content: '', isError: true }
    const call: Message = { role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'x', input: {} }] }
    expect(repairTranscript([call, failed], (id) => id)[1]).toMatchObject({ content: 'The call failed.' })
    const done: Message = { role: 'tool', callId: 'a', name: 'x', content: '' }
    expect(repairTranscript([call, done], (id) => id)[1]).toMatchObject({ content: '' })
  })
})
