import type { Message } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../__fixtures__/random.ts'
import { toChatMessages } from '../openai/chat-messages.ts'
import { toResponsesItems } from '../openai/responses-items.ts'
import { type ConversionCaches, convertConversation, splitInstructions } from './convert-conversation.ts'

/** Converts each message to a text, and counts the conversions. */
function setUp() {
  const caches: ConversionCaches<string> = new Map()
  let converted = 0
  const send = (
    messages: readonly Message[],
    key = '',
    ofRun?: Map<object, unknown>,
  ): { items: string[]; warnings: string[]; converted: number } => {
    const warnings: string[] = []
    converted = 0
    const items = convertConversation(
      messages,
      {
        key,
        caches,
        ofRun,
        toWireId: (callId) => callId,
        convert: (part, ids, warnings) =>
          part.map((message) => {
            converted++
            if (message.role === 'user' && message.content === 'odd') warnings.push('an odd one')
            return message.role === 'tool' ? ids.take(message.callId) : key + JSON.stringify(message.content)
          }),
      },
      warnings,
    )
    return { items, warnings, converted }
  }
  return { send }
}

const user = (content: string): Message => ({ role: 'user', content })
const result = (callId: string): Message => ({ role: 'tool', callId, name: 'act', content: 'acted' })
const frozen = (...messages: Message[]): Message[] => messages.map((message) => Object.freeze(message))

it('converts frozen messages once', () => {
  const { send } = setUp()
  const history = frozen(user('1'), result('a'), user('2'), result('b'))
  expect(send([...history, user('3')])).toMatchObject({ items: ['"1"', 'a', '"2"', 'b', '"3"'], converted: 5 })
  expect(send([...history, user('3')]).converted).toBe(1)
  const longer = [...history, ...frozen(user('3'), result('c'))]
  expect(send([...longer, user('4')])).toMatchObject({
    items: ['"1"', 'a', '"2"', 'b', '"3"', 'c', '"4"'],
    converted: 3,
  })
})

it.each([
  ['of earlier turns', frozen],
  ['of one run', (...messages: Message[]) => messages],
])('converts more messages %s than a function takes arguments', (_which, kept) => {
  const { send } = setUp()
  const [message = user('')] = kept(user('1'))
  const history = new Array<Message>(140_000).fill(message)
  expect(send([...history, user('2')], '', new Map()).items).toHaveLength(140_001)
})

it('converts mutable messages each time', () => {
  const { send } = setUp()
  const question = user('1')
  expect(send([question, user('2')]).items).toEqual(['"1"', '"2"'])
  question.content = 'changed'
  expect(send([question, user('2')]).items).toEqual(['"changed"', '"2"'])
})

it('assigns ids that are unique across both parts, and the same each time', () => {
  const { send } = setUp()
  const history = frozen(user('1'), result('a'))
  const messages = [...history, user('2'), result('a'), result('a')]
  for (let time = 0; time < 3; time++) expect(send(messages).items).toEqual(['"1"', 'a', '"2"', 'a_2', 'a_3'])
})

it('distinguishes conversations that begin alike', () => {
  const { send } = setUp()
  const first = frozen(user('1'))
  const one = [...first, ...frozen(result('a'), user('2'))]
  const other = [...first, ...frozen(result('b'), user('2'))]
  for (const [history, callId] of [
    [one, 'a'],
    [other, 'b'],
    [one, 'a'],
  ] as const) {
    expect(send([...history, user('3')]).items).toEqual(['"1"', callId, '"2"', '"3"'])
  }
})

it('converts a conversation that was shortened', () => {
  const { send } = setUp()
  const history = frozen(user('1'), result('a'), user('2'), result('b'))
  send([...history, user('3')])
  expect(send([...history.slice(0, 2), user('again')]).items).toEqual(['"1"', 'a', '"again"'])
})

it('does not cache a turn that may get another result', () => {
  const { send } = setUp()
  const [question, call] = frozen(user('1'), { role: 'assistant', content: [] })
  const open = [question, call] as Message[]
  send(open)
  expect(send([...open, result('a')]).items).toEqual(['"1"', '[]', 'a'])
})

it('converts instructions each time, and the messages after them once', () => {
  const { send } = setUp()
  const history = frozen(user('1'), result('a'), user('2'))
  const instructed = (content: string): Message[] => [{ role: 'system', content }, ...history]
  expect(send(instructed('of today'))).toMatchObject({ items: ['"of today"', '"1"', 'a', '"2"'], converted: 4 })
  expect(send(instructed('of now'))).toMatchObject({ items: ['"of now"', '"1"', 'a', '"2"'], converted: 2 })
  expect(send([{ role: 'system', content: 'alone' }]).items).toEqual(['"alone"'])
})

it('caches by key', () => {
  const { send } = setUp()
  const messages = frozen(user('1'), result('a'), user('2'))
  for (const key of ['x', 'y', 'x']) expect(send(messages, key).items).toEqual([`${key}"1"`, 'a', `${key}"2"`])
})

it('repeats warnings each time', () => {
  const { send } = setUp()
  const messages = [...frozen(user('odd'), result('a')), user('2')]
  for (let time = 0; time < 2; time++) expect(send(messages).warnings).toEqual(['an odd one'])
})

it('converts an empty conversation', () => {
  expect(setUp().send([])).toEqual({ items: [], warnings: [], converted: 0 })
})

it('converts the messages of one run once', () => {
  const { send } = setUp()
  const ofRun = new Map()
  const answer = (callId: string): Message[] => [
    { v: 1, role: 'assistant', content: [{ type: 'tool-call', callId, name: 'act', input: {} }] },
    result(callId),
  ]
  const messages = [...frozen(user('0'), ...answer('0')), user('odd'), ...answer('a')]
  expect(send(messages, '', ofRun)).toMatchObject({ converted: 6, warnings: ['an odd one'] })
  messages.push(...answer('b'))
  const { items } = send(messages)
  expect(send(messages, '', ofRun)).toMatchObject({ converted: 2, warnings: ['an odd one'], items })
  expect(send(messages, 'of another model', ofRun).converted).toBe(8)
  // A result that comes late belongs to a call that was converted.
  messages.push(result('late'))
  expect(send(messages, 'of another model', ofRun).converted).toBe(6)
  messages.splice(4, 1, ...answer('c'))
  expect(send(messages, 'of another model', ofRun).items).toEqual(send(messages, 'of another model').items)
})

it('converts the messages of a run again for another model, and behind another history', () => {
  const { send } = setUp()
  const ofRun = new Map()
  const run = [user('2'), result('a')]
  for (const key of ['x', 'y']) expect(send(run, key, ofRun).items).toEqual([`${key}"2"`, 'a'])
  expect(send([...frozen(user('1'), result('a')), ...run], 'y', ofRun).items).toEqual(['y"1"', 'a', 'y"2"', 'a_2'])
  expect(send(run, 'y', ofRun).items).toEqual(['y"2"', 'a'])
})

describe('a run that grows is converted as one that is sent at once', () => {
  it.each(Array.from({ length: 50 }, (_, seed) => seed))('with seed %i', (seed) => {
    const random = randomFrom(seed)
    const messages: Message[] = frozen(user('earlier'), { role: 'assistant', content: [] })
    const ofRun = new Map()
    for (let request = 0; request < 20; request++) {
      messages.push(...someMessages(random))
      if (random() < 0.1) messages.splice(Math.floor(random() * messages.length), 1)
      const shown = random() < 0.1 ? messages.slice(Math.floor(random() * messages.length)) : messages
      const kept = toChatMessages(shown, { systemRole: 'system' }, ofRun)
      expect(kept).toEqual(toChatMessages(shown, { systemRole: 'system' }))
      expect(toResponsesItems(shown, 'x/y', ofRun)).toEqual(toResponsesItems(shown, 'x/y'))
    }
  })
})

/** Answers with calls, of which some have the same id, late, double or no results, some of them with images. */
function someMessages(random: () => number): Message[] {
  const pick = (most: number): number => Math.floor(random() * most)
  const image = { type: 'image' as const, base64: 'iVBORw0KGgo=', mediaType: 'image/png' }
  const calls = Array.from({ length: pick(3) }, () => `call_${pick(4)}`)
  const text = random() < 0.5 ? [{ type: 'text' as const, text: `${pick(9)}` }] : []
  const results = calls
    .flatMap((callId): Message[] => {
      const content = random() < 0.3 ? [{ type: 'text' as const, text: 'seen' }, image] : `${pick(9)}`
      const found: Message = { v: 1, role: 'tool', callId, name: 'act', content }
      return Array.from({ length: random() < 0.8 ? 1 : pick(3) }, () => found)
    })
    .sort(() => random() - 0.5)
  const answer: Message = {
    ...{ v: 1, role: 'assistant' },
    content: [...text, ...calls.map((callId) => ({ type: 'tool-call' as const, callId, name: 'act', input: {} }))],
  }
  const late = random() < 0.2 ? results.pop() : undefined
  return [answer, ...results, ...(random() < 0.2 ? [user('more')] : []), ...(late ? [late] : [])]
}

const system = (content: string): Message => ({ role: 'system', content })
const question: Message = { role: 'user', content: 'hi' }

it.each([
  ['the system messages at the start', [system('One.'), system('Two.'), question], 'One.\n\nTwo.', [question]],
  ['no blank ones', [system(' '), system('Two\ud800.'), question], 'Two\ufffd.', [question]],
  ['no later ones', [question, system('Late.')], '', [question, system('Late.')]],
  ['all, without other messages', [system('One.')], 'One.', []],
])('separates %s', (_name, messages, instructions, rest) => {
  expect(splitInstructions(messages)).toEqual({ instructions, rest })
})
