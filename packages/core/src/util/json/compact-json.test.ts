import { describe, expect, it } from 'vitest'
import { anyJSON } from '../../__fixtures__/any-json.ts'
import { type Random, randomOf } from '../../__fixtures__/random.ts'
import { compactJSON } from './compact-json.ts'

const seeds = Array.from({ length: 200 }, (_, seed) => seed)
const texts = ['', 'a', 'Tea & "cake"', 'é😀', '\n\\\u0000/\u2028', '\ud83d', '__proto__', ' x  y '.repeat(20)]

/** A value as some model may write it: with white space, other forms of numbers, and escapes that are not needed. */
function written(value: unknown, random: Random): string {
  const space = (): string => random.pick(['', '', ' ', '\n\t', '\r\n  '])
  if (typeof value === 'string') return `"${[...value].map((char) => writtenChar(char, random)).join('')}"`
  if (typeof value === 'number' && Number.isInteger(value) && value < 1e21)
    return random.pick([`${value}`, `${value}.0`])
  if (Array.isArray(value))
    return `[${space()}${value.map((item) => written(item, random) + space()).join(`,${space()}`)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([key, item]) => `${space()}${written(key, random)}${space()}:${space()}${written(item, random)}${space()}`,
  )
  return `{${fields.join(',') || space()}}`
}

function writtenChar(char: string, random: Random): string {
  const escaped = [...char.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  if (char === '/') return random.pick(['/', '\\/', escaped])
  // A half that stands alone is always written as an escape.
  return random.pick([JSON.stringify(char).slice(1, -1), JSON.stringify(char).slice(1, -1), escaped])
}

describe('JSON that is written as it arrives', () => {
  it.each(seeds)('equals the output of `JSON.stringify`, wherever it is cut (seed %i)', (seed) => {
    const random = randomOf(seed)
    const value = Object.fromEntries(texts.map((name) => [name, anyJSON(random, texts, 4)]))
    const text = ` ${written(value, random)}\n`
    const expected = JSON.stringify(JSON.parse(text))
    const write = compactJSON()
    expect(text.split('').map(write).join('')).toBe(expected)
    const inTwo = compactJSON()
    const at = random.below(text.length)
    expect(inTwo(text.slice(0, at)) + inTwo(text.slice(at))).toBe(expected)
  })

  it('gives no half of a character, and nothing that a later piece may change', () => {
    const write = compactJSON()
    expect(write('{"a":"x\ud83d')).toBe('{"a":"x')
    expect(write('\ude00 \\u00')).toBe('😀 ')
    expect(write('e9", "n": 1')).toBe('é","n":')
    expect(write('0}')).toBe('10}')
  })

  it('passes text on that is not JSON', () => {
    expect(compactJSON()('{"a": oops, "b": "\\x"}')).toBe('{"a":oops,"b":"\\\\x"}')
  })
})
