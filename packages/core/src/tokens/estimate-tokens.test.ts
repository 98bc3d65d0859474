import { describe, expect, it } from 'vitest'
import { tokenCounts } from '../__fixtures__/token-counts.ts'
import type { ToolSpec } from '../contracts/model.ts'
import type { FilePart, Message } from '../data/message.ts'
import { estimateMessage, estimateRequest, estimateText } from './estimate-tokens.ts'

describe('estimateText', () => {
  it.each(tokenCounts)('is never below the count of a tokenizer: $name', ({ text, counts }) => {
    expect(estimateText(text)).toBeGreaterThanOrEqual(Math.max(...Object.values(counts)))
  })

  it.each(tokenCounts.filter(({ ordinary }) => ordinary))(
    'is at most three times what a tokenizer counts for ordinary text: $name',
    ({ text, counts }) => {
      expect(estimateText(text)).toBeLessThanOrEqual(3 * Math.max(...Object.values(counts)))
    },
  )

  it('is at most twice the count of GPT for English and code', () => {
    const names = [
      'English prose',
      'English chat',
      'English documentation',
      'Markdown',
      'TypeScript',
      'Python',
      'C',
      'SQL',
    ]
    const rows = tokenCounts.filter(({ name }) => names.includes(name))
    expect(rows).toHaveLength(names.length)
    const counted = rows.reduce((sum, { counts }) => sum + (counts.o200k ?? 0), 0)
    const estimated = rows.reduce((sum, { text }) => sum + estimateText(text), 0)
    expect(estimated / counted).toBeLessThan(2)
  })

  it('is 0 for an empty text', () => {
    expect(estimateText('')).toBe(0)
  })
})

describe('estimateMessage', () => {
  const words = 'What is in this picture of the harbour?'
  const withImages = (count: number): Message => ({
    role: 'user',
    content: [
      { type: 'text', text: words },
      ...Array.from({ length: count }, () => ({ type: 'image', base64: 'AAAA' }) as const),
    ],
  })
  const fileTokens = (file: Omit<FilePart, 'type'>) =>
    estimateMessage({ role: 'user', content: [{ type: 'file', ...file }] }) -
    estimateMessage({ role: 'user', content: [] })

  it('counts the text, and an overhead per message', () => {
    expect(estimateMessage({ role: 'user', content: words })).toBeGreaterThan(estimateText(words))
    expect(estimateMessage({ role: 'system', content: words })).toBeGreaterThan(estimateText(words))
  })

  it('counts 5,000 for an image, or the maximum of the model, on each call', () => {
    const [none, two] = [withImages(0), withImages(2)]
    expect(estimateMessage(two) - estimateMessage(none)).toBe(10_000)
    expect(estimateMessage(two, { imageTokens: 300 }) - estimateMessage(none)).toBe(600)
    expect(estimateMessage(two, {}) - estimateMessage(none)).toBe(10_000)
  })

  it('counts the images of a tool result', () => {
    const result: Message = {
      role: 'tool',
      callId: 'c1',
      name: 'look',
      content: [{ type: 'image', url: 'https://x.test/a.png' }],
    }
    expect(estimateMessage(result)).toBeGreaterThan(5_000)
  })

  it('counts a tool call with its arguments, and its result', () => {
    const input = { path: 'notes.txt', text: words.repeat(10) }
    const call: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'c1', name: 'write_file', input }],
    }
    expect(estimateMessage(call)).toBeGreaterThan(estimateText(JSON.stringify(input)) + estimateText('write_file'))
    const result: Message = { role: 'tool', callId: 'c1', name: 'write_file', content: words }
    expect(estimateMessage(result)).toBeGreaterThan(estimateText(words) + estimateText('write_file'))
  })

  it('counts reasoning, and an upper bound for encrypted reasoning', () => {
    const plain: Message = { role: 'assistant', content: [{ type: 'reasoning', text: words }] }
    const opaque = { owner: 'acme/small', data: { encrypted: 'kT9f'.repeat(1000) } }
    const encrypted: Message = { role: 'assistant', content: [{ type: 'reasoning', text: words, opaque }] }
    expect(estimateMessage(plain)).toBeGreaterThan(estimateText(words))
    expect(estimateMessage(encrypted) - estimateMessage(plain)).toBeGreaterThan(4000 / 4)
    const signed: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'c', name: 'f', input: {}, opaque }],
    }
    expect(estimateMessage(signed)).toBeGreaterThan(4000 / 4)
  })

  it('counts a text file as its text, in any encoding', () => {
    const text = 'name;city\n'.repeat(500)
    const base64 = Buffer.from(text).toString('base64')
    for (const mediaType of ['text/csv', 'application/json', 'application/atom+xml; charset=utf-8']) {
      expect(fileTokens({ base64, mediaType })).toBe(estimateText(text))
    }
    expect(fileTokens({ base64: `data:text/csv;base64,${base64}`, mediaType: 'text/csv' })).toBe(estimateText(text))
  })

  it('counts a PDF by its pages, an image as an image, other files by their size up to a limit', () => {
    const pdf = Buffer.from(
      '%PDF-1.4\n1 0 obj << /Type /Pages >>\n2 0 obj << /Type /Page >>\n3 0 obj << /Type /Page >>',
    )
    expect(fileTokens({ base64: pdf.toString('base64'), mediaType: 'application/pdf' })).toBe(8_000)
    expect(fileTokens({ base64: 'AAAA', mediaType: 'image/png' })).toBe(5_000)
    const bytes = (length: number) => Buffer.alloc(length).toString('base64')
    expect(fileTokens({ base64: bytes(3000), mediaType: 'application/msword' })).toBe(3000)
    expect(fileTokens({ base64: bytes(3_000_000), mediaType: 'application/msword' })).toBe(100_000)
    expect(fileTokens({ url: 'https://x.test/a.pdf', mediaType: 'application/pdf' })).toBe(100_000)
  })

  it('reads each message once, however often it is called', () => {
    let reads = 0
    const message: Message = {
      role: 'user',
      get content() {
        reads++
        return words
      },
    }
    estimateMessage(message)
    const before = reads
    estimateMessage(message, { imageTokens: 1 })
    expect(reads).toBe(before)
  })
})

describe('estimateRequest', () => {
  const messages: Message[] = [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: 'Hello' },
  ]
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const tool: ToolSpec = { name: 'weather', description: 'Tells the weather of a city.', inputSchema: schema }

  it('counts the messages, and an overhead per request', () => {
    const parts = messages.reduce((sum, message) => sum + estimateMessage(message), 0)
    expect(estimateRequest({ messages })).toBeGreaterThan(parts)
    expect(estimateRequest({ messages, tools: [] })).toBe(estimateRequest({ messages }))
  })

  it('counts the tools, and the prompt that a provider adds for them', () => {
    const one = estimateRequest({ messages, tools: [tool] }) - estimateRequest({ messages })
    const two = estimateRequest({ messages, tools: [tool, tool] }) - estimateRequest({ messages })
    expect(one).toBeGreaterThan(346 + estimateText(JSON.stringify(tool)))
    expect(two - one).toBeGreaterThan(estimateText(JSON.stringify(tool)))
  })

  it('counts the schema of the answer', () => {
    const extra = estimateRequest({ messages, output: schema }) - estimateRequest({ messages })
    expect(extra).toBeGreaterThan(estimateText(JSON.stringify(schema)))
  })

  it('reads a list of tools once, however often it is called', () => {
    let reads = 0
    const tools = [{ ...tool, toJSON: () => ++reads }]
    estimateRequest({ messages, tools })
    estimateRequest({ messages, tools })
    expect(reads).toBe(1)
  })

  it('counts images by the limit of the model', () => {
    const withImage: Message[] = [{ role: 'user', content: [{ type: 'image', base64: 'AAAA' }] }]
    const many = estimateRequest({ messages: withImage }, { imageTokens: 48_169 })
    expect(many - estimateRequest({ messages: withImage })).toBe(43_169)
  })
})
