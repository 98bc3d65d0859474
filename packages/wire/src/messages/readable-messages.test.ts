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

it('replaces unreadable parts by a line of text, with one warning for each kind', () => {
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
    '"small" does not read files of type "application/pdf": a line of text says that one was there.',
  ])
})

it('leaves readable parts unchanged', () => {
  const warnings: string[] = []
  const read = readableMessages(messages, ({ type }) => type === 'image', 'small', warnings)
  expect(read[2]).toBe(messages[2])
  expect(warnings).toHaveLength(1)
})

it('sends text files as text where files are not supported', () => {
  const csv = { type: 'file', base64: btoa('a,b'), mediaType: 'text/csv', name: 'a.csv' } as const
  const warnings: string[] = []
  const [read] = readableMessages([{ role: 'user', content: [csv] }], () => false, 'small', warnings)
  expect(read?.content).toEqual([{ type: 'text', text: '[file "a.csv"]\na,b' }])
  expect(warnings).toEqual([])
})

it('returns parts in their plain form, and names the address of those without one', () => {
  const content = [
    { type: 'image', url: 'data:image/png;base64,iVBORw0KGgoA' },
    { type: 'image', url: 'file:///etc/passwd' },
    { type: 'file', url: '', mediaType: 'application/pdf' },
  ] as const
  const [read] = readableMessages([{ role: 'user', content: [...content] }], () => true, 'small', [])
  expect(read?.content).toEqual([
    { type: 'image', base64: 'iVBORw0KGgoA', mediaType: 'image/png' },
    { type: 'text', text: '[image at file:///etc/passwd left out]' },
    { type: 'text', text: '[file "file.pdf" at  left out]' },
  ])
})

it.each<[object, string]>([
  [{ type: 'image' }, 'An image has neither data nor an address on the web'],
  [
    { type: 'file', mediaType: 'application/pdf', url: 'blob:1' },
    'An attached file has neither data nor an address on the web',
  ],
  [{ type: 'image', url: 'gs://bucket/a.png' }, '"small" reads no image at such an address'],
  [
    { type: 'image', base64: 'AAAA', mediaType: 'image/svg+xml' },
    '"small" does not read images of type "image/svg+xml"',
  ],
  [{ type: 'image', url: 'https://example.com/a.png' }, '"small" does not read images at such an address'],
])('explains why it left out %j', (part, reason) => {
  const warnings: string[] = []
  const content = [part] as Extract<Message, { role: 'user' }>['content']
  const reads = ({ base64, mediaType }: { base64?: string; mediaType?: string }) =>
    base64 !== undefined && mediaType === 'image/png'
  readableMessages([{ role: 'user', content }], reads, 'small', warnings)
  expect(warnings).toEqual([`${reason}: a line of text says that one was there.`])
})

it('returns the same copy for a frozen message, so that it is converted once', () => {
  const [, frozen] = messages.map((message) => Object.freeze({ ...message }))
  const read = (reads: (part: { type: string }) => boolean): Message | undefined =>
    readableMessages(frozen ? [frozen] : [], reads, 'small', [])[0]
  const nothing = read(() => false)
  expect(Object.isFrozen(nothing)).toBe(true)
  expect(read(() => false)).toBe(nothing)
  expect(read(({ type }) => type === 'file')).not.toEqual(nothing)
})
