import { describe, expect, it } from 'vitest'
import type { Frame } from './frame.ts'
import { SseParser } from './sse-parser.ts'

const cases: { name: string; text: string; frames: Frame[] }[] = [
  { name: 'LF', text: 'data: a\n\ndata: b\n\n', frames: [frame('a'), frame('b')] },
  { name: 'CRLF', text: 'data: a\r\n\r\ndata: b\r\n\r\n', frames: [frame('a'), frame('b')] },
  { name: 'CR', text: 'data: a\r\rdata: b\r\r', frames: [frame('a'), frame('b')] },
  { name: 'data of several lines', text: 'data: a\ndata\ndata: b\n\n', frames: [frame('a\n\nb')] },
  { name: 'comments and unknown fields', text: ': ping\nid: 7\nretry: 1\ndata: a\n: x\n\n', frames: [frame('a')] },
  { name: 'names of events', text: 'event: error\ndata: a\n\ndata: b\n\n', frames: [frame('a', 'error'), frame('b')] },
  { name: 'data without a space, and with two', text: 'data:a\n\ndata:  b\n\n', frames: [frame('a'), frame(' b')] },
  {
    name: 'errors in a field of their own',
    text: 'data: a\n\nerror: {"b":1}\n\n',
    frames: [frame('a'), frame('{"b":1}', 'error')],
  },
  {
    name: 'JSON without a field',
    text: 'data: a\n\n{\n  "error": {}\n}\n\ndata: b\n\n',
    frames: [frame('a'), frame('{\n  "error": {}\n}'), frame('b')],
  },
  { name: 'heartbeats of blank data', text: 'data:\n\ndata: a\n\nevent: ping\ndata:  \n\n', frames: [frame('a')] },
  {
    name: 'heartbeats of text',
    text: 'data: ping\n\ndata: null\n\ndata: : ping - 2\n\ndata: [PING]\n\nevent: keepalive\ndata: 12:30:00\n\ndata: a\n\ndata: : OPENROUTER PROCESSING\n\n',
    frames: [frame('a')],
  },
  {
    name: 'damaged JSON, which is no heartbeat',
    text: 'event: ping\ndata: {"a\n\ndata: :"b"}\n\ndata: pinging\n\ndata: "ping\n\n',
    frames: [frame('{"a', 'ping'), frame(':"b"}'), frame('pinging'), frame('"ping')],
  },
  { name: 'an error of blank data', text: 'event: error\ndata:\n\n', frames: [frame('', 'error')] },
  { name: 'frames without data', text: 'event: ping\n\ndata: a\n\n\n\n', frames: [frame('a')] },
]

function frame(data: string, event = ''): Frame {
  return { event, data }
}

describe('SseParser', () => {
  it.each(cases)('reads $name', ({ text, frames }) => {
    expect(new SseParser().push(text)).toEqual(frames)
  })

  it.each(cases)('reads $name, one character at a time', ({ text, frames }) => {
    const parser = new SseParser()
    expect([...text].flatMap((character) => parser.push(character))).toEqual(frames)
    expect(parser.end()).toEqual([])
  })

  it('returns a frame that ends with CR at once, and skips the LF that follows', () => {
    const parser = new SseParser()
    expect(parser.push('data: a\r\n\r')).toEqual([frame('a')])
    expect(parser.push('\ndata: b\r\n\r\n')).toEqual([frame('b')])
  })

  it.each(['data: a', 'data: a\n', 'event: x\n', 'dat'])('marks %j as cut by the end', (text) => {
    const parser = new SseParser()
    expect(parser.push(text)).toEqual([])
    expect(parser.end()).toMatchObject([{ unterminated: true }])
    expect(parser.end()).toEqual([])
  })

  it('returns JSON without a field that the stream ends with', () => {
    const parser = new SseParser()
    expect(parser.push('data: a\n\n{\n"error": 1\n}')).toEqual([frame('a')])
    expect(parser.end()).toEqual([{ ...frame('{\n"error": 1\n}'), unterminated: true }])
  })

  it.each([': bye', 'data: ping', 'data: : bye\n'])('does not treat the heartbeat %j at the end as a frame', (text) => {
    const parser = new SseParser()
    parser.push(text)
    expect(parser.end()).toEqual([])
  })

  it('counts the bytes that it buffers', () => {
    const parser = new SseParser()
    parser.push('data: abc\ndata: de')
    expect(parser.pending).toBe('abc'.length + 'data: de'.length)
  })
})
