import { expect, it } from 'vitest'
import { LineParser } from './line-parser.ts'

function parse(...pieces: string[]) {
  const parser = new LineParser()
  const frames = pieces.flatMap((piece) => parser.push(piece))
  return { lines: frames.map(({ data }) => data), last: parser.end() }
}

it('gives each line as a frame, however it is cut', () => {
  expect(parse('{"a":1}\n{"b"', ':2}\r\n\n', '{"c":3}\n')).toEqual({
    lines: ['{"a":1}', '{"b":2}', '{"c":3}'],
    last: [],
  })
})

it('marks the line that the end of the stream cut short', () => {
  expect(parse('{"a":1}\n{', '"b"', ' \r').last).toEqual([{ event: '', data: '{"b"', unterminated: true }])
  const parser = new LineParser()
  parser.push('{"a"')
  expect([parser.end().length, parser.end().length, parser.pending]).toEqual([1, 0, 0])
})

it('counts its buffer', () => {
  const parser = new LineParser()
  parser.push('{"a":1}\n12345')
  expect(parser.pending).toBe(5)
})
