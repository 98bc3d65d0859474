import type { Message } from '@agentkit/core'
import { expect, it } from 'vitest'
import { type ConversionCaches, convertConversation, splitInstructions } from './convert-conversation.ts'

/** Converts each message to a text, and counts the conversions. */
function setUp() {
  const caches: ConversionCaches<string> = new Map()
  let converted = 0
  const send = (messages: readonly Message[], key = ''): { items: string[]; warnings: string[]; converted: number } => {
    const warnings: string[] = []
    converted = 0
    const items = convertConversation(
      messages,
      {
        key,
        caches,
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
