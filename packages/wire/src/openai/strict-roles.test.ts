import { describe, expect, it } from 'vitest'
import type { ChatMessage } from './chat-types.ts'
import { withStrictRoles } from './strict-roles.ts'

const system = (content: string): ChatMessage => ({ role: 'system', content })
const user = (content: string): ChatMessage => ({ role: 'user', content })
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const
const call: ChatMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
}
const result: ChatMessage = { role: 'tool', tool_call_id: 'a', content: 'seen' }

/** The rules of the templates of Gemma, Llama 2, Mistral and Qwen together; calls and their results do not count. */
function accepts(messages: readonly ChatMessage[]): boolean {
  const rest = messages[0]?.role === 'system' ? messages.slice(1) : messages
  const turns = rest.filter((message) => message.role !== 'tool' && !('tool_calls' in message))
  return turns.length > 0 && turns.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
}

describe('withStrictRoles', () => {
  it.each<[string, ChatMessage[], ChatMessage[]]>([
    [
      'joins messages of users',
      [user('a'), user('b'), assistant('c'), user('d')],
      [user('a\n\nb'), assistant('c'), user('d')],
    ],
    ['joins instructions', [system('a'), system('b'), user('c')], [system('a\n\nb'), user('c')]],
    [
      'makes instructions in the middle a text of the user',
      [user('a'), assistant('b'), system('c'), user('d')],
      [user('a'), assistant('b'), user('c\n\nd')],
    ],
    [
      'begins with a user',
      [system('a'), assistant('b'), user('c')],
      [system('a'), user('Continue.'), assistant('b'), user('c')],
    ],
    [
      'puts a user between answers, and at the end',
      [user('a'), assistant('b'), assistant('c')],
      [user('a'), assistant('b'), user('Continue.'), assistant('c'), user('Continue.')],
    ],
    ['adds a user where there are instructions alone', [system('a')], [system('a'), user('Continue.')]],
    [
      'answers a result before the user continues',
      [user('a'), call, result, user('b')],
      [user('a'), call, result, assistant('Understood.'), user('b')],
    ],
    [
      'joins parts',
      [user('a'), { role: 'user', content: [image] }],
      [{ role: 'user', content: [{ type: 'text', text: 'a' }, image] }],
    ],
  ])('%s', (_, messages, expected) => {
    const ordered = withStrictRoles(messages, 'mistralai/Mistral-Small-3.2')
    expect(ordered).toEqual(expected)
    expect(accepts(ordered)).toBe(true)
  })

  it('leaves a message after a result as it is for other models, and all of a conversation in order', () => {
    const messages = [system('a'), user('b'), call, result, user('c')]
    expect(withStrictRoles(messages, 'Qwen/Qwen3-8B')).toEqual(messages)
  })
})
