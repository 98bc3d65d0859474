import { describe, expect, it } from 'vitest'
import { fitToWidth, textWidth } from './text-width.ts'

describe('the width of a line in a terminal', () => {
  it.each([
    ['plain text', 10],
    ['東京', 4],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['🙂', 2],
    ['e\u0301', 1],
    ['→ ✗ …', 5],
  ])('%s', (line, width) => {
    expect(textWidth(line)).toBe(width)
  })

  it('is not exceeded by the start of a line and its ellipsis', () => {
    expect(fitToWidth('東京都庁', 6)).toBe('東京…')
    expect(fitToWidth('東京都', 6)).toBe('東京都')
    expect(fitToWidth('abc', 5)).toBe('abc')
  })
})
