import { expect, it } from 'vitest'
import { terminalLine, terminalText } from './terminal-text.ts'

it.each([
  ['a colour', 'a\u001b[31m.md', 'a\\u001b[31m.md'],
  ['a write to the clipboard', '\u001b]52;c;cm0=\u0007', '\\u001b]52;c;cm0=\\u0007'],
  ['a link', '\u001b]8;;http://x\u001b\\y', '\\u001b]8;;http://x\\u001b\\y'],
  ['an escape of one byte', '\u009b31m', '\\u009b31m'],
  ['a carriage return', 'b\r.md', 'b\\u000d.md'],
  ['a backspace', 'ab\b\u007f', 'ab\\u0008\\u007f'],
  ['a change of direction', 'c\u202e\u2066.md', 'c\\u202e\\u2066.md'],
  ['separators', '\u2028\u2029', '\\u2028\\u2029'],
])('escapes %s, in lines and in texts', (_, text, safe) => {
  expect(terminalLine(text)).toBe(safe)
  expect(terminalText(text)).toBe(safe)
})

it('keeps the line ends and tabs of a text, but not of a line', () => {
  expect(terminalText('a\n\tb\r\nc')).toBe('a\n\tb\nc')
  expect(terminalLine('a\n\tb\r\nc')).toBe('a\\u000a\\u0009b\\u000d\\u000ac')
})

it('does not change ordinary text', () => {
  const text = 'Größe 灯火 שלום 👩‍👩‍👧 – “x” \\u001b'
  expect(terminalLine(text)).toBe(text)
  expect(terminalText(text)).toBe(text)
})
