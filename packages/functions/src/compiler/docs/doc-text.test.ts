import { describe, expect, it } from 'vitest'
import { cleanText } from './doc-text.ts'

describe('the text of a comment', () => {
  it.each([
    ['joins wrapped lines', 'Fetches the receipt\nof a transaction.', 'Fetches the receipt of a transaction.'],
    ['keeps paragraphs, one empty line between them', 'One.\n\n\n\nTwo.', 'One.\n\nTwo.'],
    ['keeps lists', 'Takes:\n- one\n  that goes on\n- two', 'Takes:\n- one that goes on\n- two'],
    ['keeps numbered lists', 'Steps:\n1. one\n2. two', 'Steps:\n1. one\n2. two'],
    ['keeps tables', '| a | b |\n|---|---|\n| 1 | 2 |', '| a | b |\n|---|---|\n| 1 | 2 |'],
    ['keeps code as it is', 'Like:\n```\na = 1\n  b = 2\n```\nand so on', 'Like:\n```\na = 1\n  b = 2\n```\nand so on'],
    ['shows the name of a link', 'See {@link Price}.', 'See Price.'],
    ['shows the label of a link that is on two lines', 'See {@link Price what it\ncosts}.', 'See what it costs.'],
    [
      'shows the label of a link',
      'See {@link Price|what it costs} and {@link https://a.b the page}.',
      'See what it costs and the page.',
    ],
    ['reads Windows line ends', 'One\r\ntwo.', 'One two.'],
    ['leaves no space at the ends', '\n  One.  \n', 'One.'],
  ])('%s', (_name, text, clean) => {
    expect(cleanText(text)).toBe(clean)
  })

  it('of no comment is empty', () => {
    expect(cleanText(undefined)).toBe('')
  })
})
