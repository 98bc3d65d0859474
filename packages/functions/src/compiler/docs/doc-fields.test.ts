import { describe, expect, it } from 'vitest'
import { readFields } from './doc-fields.ts'

describe('the fields of a docstring', () => {
  it('are taken out of its text', () => {
    const docstring = `Fetches a receipt.

:param transaction_hash: The hash
    of the transaction.
:param int confirmations: How many blocks.
:type confirmations: int
:raises ValueError: never
:return: The receipt,
    or null.

And one thing more.`
    const { text, returns, parameters } = readFields(docstring)
    expect(text.trim().split(/\n+/)).toEqual(['Fetches a receipt.', 'And one thing more.'])
    expect(returns.split(/\s+/).join(' ').trim()).toBe('The receipt, or null.')
    expect(parameters.map(({ path, text }) => [path, text.split(/\s+/).join(' ').trim()])).toEqual([
      ['transaction_hash', 'The hash of the transaction.'],
      ['confirmations', 'How many blocks.'],
    ])
  })

  it.each([':returns: It.', ':return: It.'])('may describe the return value as %s', (line) => {
    expect(readFields(line).returns.trim()).toBe('It.')
  })

  it('leave text alone that has colons', () => {
    expect(readFields('Ratio :paramount: 3:1').text.trim()).toBe('Ratio :paramount: 3:1')
  })
})
