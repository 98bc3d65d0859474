import { describe, expect, it } from 'vitest'
import type { ToolContext } from '../contracts/tool.ts'
import type { ImagePart, ToolMessage } from '../data/message.ts'
import { estimateText } from '../tokens/estimate-tokens.ts'
import { readToolResult, removedResult, resultText, shownResult } from './long-results.ts'

const result = (content: ToolMessage['content'], callId = 'call_1'): ToolMessage => {
  return { v: 1, role: 'tool', callId, name: 'search', content }
}
const image: ImagePart = { type: 'image', base64: 'aGk=', mediaType: 'image/png' }
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `This is line ${index}.`).join('\n')

const texts = [
  { kind: 'lines', text: lines(5000) },
  { kind: 'one line', text: 'x'.repeat(40_000) },
  { kind: 'Chinese', text: '今天天气很好，我们去公园散步吧。'.repeat(1000) },
  { kind: 'emoji', text: '🦊'.repeat(9001) },
  { kind: 'hardly more than fits', text: 'word '.repeat(420) },
]

describe('a tool result', () => {
  it('is sent unchanged when it fits', () => {
    const messages = [result('short'), result([{ type: 'text', text: 'short' }, image]), result('')]
    for (const message of messages) expect(shownResult(message, 100)).toBe(message)
  })

  it.each(texts)('is cut when it is too long, within the limit, at whole characters: $kind', ({ text }) => {
    const message = result(text)
    const shown = resultText(shownResult(message, 300))
    expect(estimateText(shown)).toBeLessThanOrEqual(300)
    expect(estimateText(shown)).toBeGreaterThan(200)
    expect(shown.isWellFormed()).toBe(true)
    expect(message.content).toBe(text)
  })

  it('says how to read the rest', () => {
    const shown = resultText(shownResult(result(lines(5000)), 300))
    const cut = shown.lastIndexOf('\n[')
    expect(shown.slice(cut)).toBe(
      `\n[characters 0–${cut} of 93,889 are shown. ` +
        `To read on, call read_tool_result with {"call_id": "call_1", "offset": ${cut}}]`,
    )
    expect(lines(5000).startsWith(shown.slice(0, cut))).toBe(true)
  })

  it.each([250, 300, 350, 400])('is cut after a line if one ends close by: %i tokens', (resultTokens) => {
    const shown = resultText(shownResult(result(lines(5000)), resultTokens))
    expect(shown.slice(0, shown.lastIndexOf('\n['))).toMatch(/ line \d+\.\n$/)
  })

  it('keeps its images and other fields when its text is cut', () => {
    const message = {
      ...result([{ type: 'text', text: lines(20) }, image, { type: 'text', text: lines(5000) }, image]),
    }
    message.isError = true
    const shown = shownResult(message, 400)
    expect(shown).toMatchObject({ callId: 'call_1', name: 'search', isError: true })
    expect(shown.content).toEqual([
      { type: 'text', text: lines(20) },
      image,
      { type: 'text', text: expect.stringMatching(/^This is line 0/) },
      image,
      { type: 'text', text: expect.stringMatching(/^\[characters 0–.* "offset": \d+\}\]$/) },
    ])
    expect(estimateText(resultText(shown))).toBeLessThanOrEqual(400)
  })

  it('is cut once, into a frozen copy: a provider converts it once', () => {
    const message = result([{ type: 'text', text: lines(5000) }])
    const shown = shownResult(message, 300)
    expect(shownResult(message, 300)).toBe(shown)
    expect(Object.isFrozen(shown)).toBe(true)
    expect(shownResult(message, 600)).not.toEqual(shown)
  })
})

describe('a removed tool result', () => {
  it('names the result and how to read it', () => {
    const removed = removedResult({ ...result('x'.repeat(12_345)), isError: true })
    expect(removed).toEqual({
      ...result(
        '[result removed to save room: 12,345 characters. ' +
          'To read it again, call read_tool_result with {"call_id": "call_1", "offset": 0}.]',
      ),
      isError: true,
    })
  })

  it.each([
    { content: [image], removed: '1 image. Call "search" again for it.]' },
    { content: [image, { type: 'text' as const, text: 'a' }, image], removed: '1 character and 2 images. To read it' },
  ])('names its images: $removed', ({ content, removed }) => {
    expect(resultText(removedResult(result(content)))).toContain(`[result removed to save room: ${removed}`)
  })

  it('stays when it is no longer than its placeholder', () => {
    const message = result('Sunny, 21 degrees.')
    expect(removedResult(message)).toBe(message)
  })

  it('has a placeholder that is never longer than the result', () => {
    for (let words = 1; words < 100; words++) {
      const text = 'the sea '.repeat(words)
      expect(estimateText(resultText(removedResult(result(text))))).toBeLessThanOrEqual(estimateText(text))
    }
  })

  it('is replaced once, by a frozen copy', () => {
    const message = result(lines(100))
    expect(removedResult(message)).toBe(removedResult(message))
    expect(Object.isFrozen(removedResult(message))).toBe(true)
  })
})

describe('read_tool_result', () => {
  // The tool does not use its context.
  const context = {} as ToolContext
  const reader = (text: string, resultTokens = 300) =>
    readToolResult(
      (callId) => (callId === 'call_1' ? text : undefined),
      () => resultTokens,
    )
  const read = (text: string, offset: number, resultTokens?: number): string => {
    return reader(text, resultTokens).execute({ call_id: 'call_1', offset }, context) as string
  }

  it.each(texts)('reads to the end, each part within the limit: $kind', ({ text }) => {
    let whole = ''
    let shown = resultText(shownResult(result(text), 300))
    for (;;) {
      const cut = shown.lastIndexOf('\n[')
      whole += shown.slice(0, cut)
      const next = /"offset": (\d+)\}\]$/.exec(shown)
      if (!next) break
      expect(Number(next[1])).toBe(whole.length)
      shown = read(text, Number(next[1]))
      expect(estimateText(shown)).toBeLessThanOrEqual(300)
      expect(shownResult(result(shown, 'call_2'), 300).content).toBe(shown)
      expect(shown.isWellFormed()).toBe(true)
    }
    expect(shown).toMatch(/\[characters [\d,]+–[\d,]+ of [\d,]+: the end\]$/)
    expect(whole).toBe(text)
  })

  it('returns a removed result unchanged when it fits', () => {
    expect(read('All of it.', 0)).toBe('All of it.')
  })

  it('begins at a whole character', () => {
    expect(read('🦊🦊', 1)).toBe('🦊🦊')
    expect(read('🦊🦊', 3)).toBe('🦊\n[characters 2–4 of 4: the end]')
  })

  it('makes progress even when there is hardly any room', () => {
    expect(read('🦊🦊', 0, 1)).toMatch(/^🦊\n\[characters 0–2 of 4 are shown\./)
  })

  it.each([10, 11])('reports that there is no text at %i', (offset) => {
    expect(() => read('0123456789', offset)).toThrow(
      `The result has 10 characters: there is nothing from ${offset} on.`,
    )
  })

  it('reports an unknown call', () => {
    expect(() => reader('x').execute({ call_id: 'call_9', offset: 0 }, context)).toThrow(
      'There is no tool result with the call_id "call_9".',
    )
  })
})
