import type { Message } from '@agentkit/core'
import { expect, it } from 'vitest'
import { readableMessages } from './readable-messages.ts'

const image = { type: 'image', base64: 'iVBO' } as const
const file = { type: 'file', base64: 'JVBE', mediaType: 'application/pdf', name: 'a.pdf' } as const
const messages: Message[] = [
  { role: 'user', content: 'hi' },
  { role: 'user', content: [{ type: 'text', text: 'look' }, image, file] },
  { role: 'tool', callId: 'c', name: 'draw', content: [image, { type: 'text', text: 'done' }] },
]

it('says in a line of text what a model does not read, and warns once for each kind', () => {
  const warnings: string[] = []
  const [first, second, third] = readableMessages(messages, () => false, 'small', warnings)
  expect(first).toBe(messages[0])
  expect(second?.content).toEqual([
    { type: 'text', text: 'look' },
    { type: 'text', text: '[image left out]' },
    { type: 'text', text: '[file "a.pdf" left out]' },
  ])
  expect(third).toMatchObject({ callId: 'c', content: [{ text: '[image left out]' }, { text: 'done' }] })
  expect(warnings).toEqual([
    '"small" does not read images: a line of text says that one was there.',
    '"small" does not read files: a line of text says that one was there.',
  ])
})

it('leaves what is read as it is', () => {
  const warnings: string[] = []
  const read = readableMessages(messages, ({ type }) => type === 'image', 'small', warnings)
  expect(read[2]).toBe(messages[2])
  expect(warnings).toHaveLength(1)
})

it('gives the same copy of a message that cannot change, so that it is converted once', () => {
  const [, frozen] = messages.map((message) => Object.freeze({ ...message }))
  const read = (reads: (part: { type: string }) => boolean): Message | undefined =>
    readableMessages(frozen ? [frozen] : [], reads, 'small', [])[0]
  const nothing = read(() => false)
  expect(Object.isFrozen(nothing)).toBe(true)
  expect(read(() => false)).toBe(nothing)
  expect(read(({ type }) => type === 'file')).not.toEqual(nothing)
})
