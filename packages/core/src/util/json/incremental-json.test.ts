import { describe, expect, it } from 'vitest'
import { anyJSON } from '../../__fixtures__/any-json.ts'
import { type Random, randomOf } from '../../__fixtures__/random.ts'
import { IncrementalJSON } from './incremental-json.ts'

/** Whether a value is one from which a later one grew. */
function grewFrom(earlier: unknown, later: unknown): boolean {
  if (typeof earlier === 'string') return typeof later === 'string' && later.startsWith(earlier)
  if (Array.isArray(earlier)) {
    return Array.isArray(later) && earlier.every((item, index) => index < later.length && grewFrom(item, later[index]))
  }
  if (typeof earlier === 'object' && earlier !== null) {
    const fields = Object(later) as Record<string, unknown>
    return Object.entries(earlier).every(([key, value]) => Object.hasOwn(fields, key) && grewFrom(value, fields[key]))
  }
  return Object.is(earlier, later)
}

const seeds = Array.from({ length: 300 }, (_, seed) => seed)
const texts = ['', 'a', 'Tea & "cake"', 'é😀\ud83d', '\n\\\u0000/', '__proto__', 'x'.repeat(200)]

function anyText(seed: number): { text: string; random: Random } {
  const random = randomOf(seed)
  const value = Object.fromEntries(texts.map((name) => [name, anyJSON(random, texts, 5)]))
  return { text: JSON.stringify(value, undefined, random.below(3)), random }
}

const parse = (text: string): unknown => {
  const json = new IncrementalJSON({ depth: 64 })
  json.push(text)
  return json.value()
}

describe('JSON that arrives in parts', () => {
  it.each(seeds)('only grows, wherever it is cut, and ends as the value of JSON.parse (seed %i)', (seed) => {
    const { text } = anyText(seed)
    const json = new IncrementalJSON({ depth: 64 })
    let before: unknown
    for (const unit of text.split('')) {
      json.push(unit)
      const now = structuredClone(json.value())
      if (before !== undefined && !grewFrom(before, now)) expect(now).toEqual(before)
      before = now
    }
    expect(before).toEqual(JSON.parse(text))
  })

  it.each(seeds)('is the same in one part and in two (seed %i)', (seed) => {
    const { text, random } = anyText(seed)
    const json = new IncrementalJSON({ depth: 64 })
    const at = random.below(text.length)
    json.push(text.slice(0, at))
    json.push(text.slice(at))
    expect(json.value()).toEqual(JSON.parse(text))
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('takes `__proto__` as a field like any other', () => {
    const value = parse('{"__proto__":{"isAdmin":true},"a":1}') as { isAdmin?: boolean }
    expect(Object.keys(value)).toEqual(['__proto__', 'a'])
    expect(value.isAdmin).toBeUndefined()
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('holds half of a surrogate pair back', () => {
    const json = new IncrementalJSON({ depth: 64 })
    json.push('{"a":"x\ud83d')
    expect(json.value()).toEqual({ a: 'x' })
    json.push('\ude00"}')
    expect(json.value()).toEqual({ a: 'x😀' })
    expect(parse('{"a":"\\ud83d\\ude00"}')).toEqual({ a: '😀' })
  })

  const wrong = ['{"a":1,}', '{"a":01}', '{a:1}', '{"a":"\n"}', '{"a":"\\x"}', '{"a":"\\u0g00"}']
  it.each([...wrong, '{"a":"\\u000g"}', '{"a":tru}', '{"a":1 2}', '[1]', '{"a":[}'])(
    'ends where JSON.parse refuses it: %j',
    (text) => {
      const json = new IncrementalJSON({ depth: 64 })
      json.push(text)
      expect(json.push(',"b":2}')).toBe(false)
      expect(() => JSON.parse(text === '[1]' ? '' : text)).toThrow()
    },
  )

  it('stops in a number without an end', () => {
    const json = new IncrementalJSON({ depth: 3 })
    json.push(`{"a":${'1'.repeat(1_001)}`)
    expect(json.push('}')).toBe(false)
  })

  it('stops at the depth that it is given', () => {
    const json = new IncrementalJSON({ depth: 3 })
    json.push(`{"a":${'['.repeat(100_000)}`)
    expect(json.value()).toEqual({ a: [[]] })
  })

  it('finds the object in other text', () => {
    expect(parse('Here it is:\n```json\n{"a":"b"}\n``` {"c":1}')).toEqual({ a: 'b' })
  })

  it('reads a string of 1 MB in 100,000 parts, each of its characters once', () => {
    const json = new IncrementalJSON({ depth: 64 })
    json.push('{"a":"')
    for (let part = 0; part < 100_000; part++) json.push('0123456789')
    json.push('"}')
    expect((json.value() as { a: string }).a).toHaveLength(1_000_000)
  })

  it('reports the items of a list once they are complete', () => {
    const json = new IncrementalJSON({ depth: 64, watched: ['plan', 'steps'] })
    const taken = [...'{"steps":[0],"plan":{"steps":[{"n":[1]},"two",3,null]}}'].flatMap((char) => {
      json.push(char)
      return json.takeItems()
    })
    expect(taken).toEqual([{ n: [1] }, 'two', 3, null])
  })
})
