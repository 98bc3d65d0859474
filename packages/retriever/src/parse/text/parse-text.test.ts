import { describe, expect, it } from 'vitest'
import { readFileOf } from '../__fixtures__/read-file-of.ts'
import { parseText } from './parse-text.ts'

describe('parseText', () => {
  it('makes a block of each paragraph and keeps the text unchanged', async () => {
    const text = '\n  First line\nsecond line  \n \t\nNext.\n\n\n'
    const read = await readFileOf(parseText, text)
    expect(read.text).toBe(text)
    expect(read.said).toEqual(['text: First line\nsecond line', 'text: Next.'])
    expect(read.parsed).toEqual({ status: 'ok' })
  })

  it.each([
    ['', 'It is empty.'],
    [' \n\t\r\n ', 'It holds no text.'],
    ['\ufeff', 'It holds no text.'],
  ])('says of %j that there is no text', async (text, message) => {
    await expect(readFileOf(parseText, text)).rejects.toMatchObject({ status: 'no-text', message })
  })

  it.each([
    ['paragraphs', 'A sentence of a paragraph.\n\n', /\n\n$/],
    ['lines', '127.0.0.1 GET /index.html\n', /\n$/],
    ['words', 'word after word ', / $/],
    ['one word of emoji', '😀', /😀$/],
  ])('gives a long file of %s in pieces that end where one ends', async (_, unit, end) => {
    const text = unit.repeat(Math.ceil(2_300_000 / unit.length))
    const read = await readFileOf(parseText, text)
    expect(read.text === text).toBe(true)
    expect(read.pieces.length).toBeGreaterThan(2)
    for (const piece of read.pieces.slice(0, -1)) {
      expect(piece.text.length).toBeLessThanOrEqual(1_000_000)
      expect(piece.text.slice(-4)).toMatch(end)
      expect(piece.text.isWellFormed()).toBe(true)
    }
  })

  it('finds text after a megabyte of blank lines', async () => {
    const read = await readFileOf(parseText, `${'\n'.repeat(1_500_000)}end`)
    expect(read.said).toEqual(['text: end'])
  })

  it('stops between two pieces when it is aborted', async () => {
    const stop = new AbortController()
    const reading = parseText(Buffer.from('line\n'.repeat(1_000_000)), stop.signal)
    await reading.next()
    stop.abort(new Error('enough'))
    await expect(reading.next()).rejects.toThrow('enough')
  })
})
