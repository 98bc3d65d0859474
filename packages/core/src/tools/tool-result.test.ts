import { describe, expect, it } from 'vitest'
import type { Message } from '../data/message.ts'
import { validateTranscript } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { cutText } from '../util/text/cut-text.ts'
import { toToolResult } from './tool-result.ts'

const bound = 262_144
const bytesOf = (text: unknown): number => Buffer.byteLength(String(text))

describe('half of a surrogate pair, as of a text that a tool has cut', () => {
  const [half, whole] = ['a\ud83d', 'a\ufffd']
  it.each([
    ['in a text', half, whole],
    ['in a list of parts', [{ type: 'text', text: half }], [{ type: 'text', text: whole }]],
    ['in data', { [half]: [half, { text: `😀${half}` }] }, { [whole]: [whole, { text: `😀${whole}` }] }],
    ['in an error', new Error(half), `Error: ${whole}`],
  ])('becomes U+FFFD %s, for clients and for the model', (_where, value, expected) => {
    const { content, output } = toToolResult(value)
    expect(output).toEqual(expected)
    expect(JSON.stringify(content)).not.toContain('\\ud83d"')
    expect(content).toEqual(
      typeof expected === 'string' || Array.isArray(expected) ? expected : JSON.stringify(expected),
    )
  })

  it('is not made where the whole text is kept up to its bound', () => {
    const { whole = '' } = toToolResult(`${'😀'.repeat(limits.wholeResultChars / 2 - 1)}x😀`, 'call')
    expect(whole.isWellFormed()).toBe(true)
  })
})

describe('a result', () => {
  class Temperature {
    celsius = 7
    #secret = 'hidden'
    get fahrenheit(): number {
      return this.celsius * 1.8 + 32 + this.#secret.length * 0
    }
  }
  const circular: Record<string, unknown> = { name: 'loop' }
  circular.self = circular
  circular.list = [circular]
  const shared = { city: 'Oslo' }
  const sparse: unknown[] = [1]
  sparse[3] = 4
  const throwing = {
    fine: 1,
    get bad(): never {
      throw new Error('no access')
    },
  }
  const deadProxy = Proxy.revocable({}, {})
  deadProxy.revoke()

  it.each<[string, unknown, string]>([
    ['a number', 7, '7'],
    ['zero below zero', -0, '0'],
    ['infinity', { most: Number.POSITIVE_INFINITY }, '{"most":"Infinity"}'],
    ['a boolean', false, 'false'],
    ['a BigInt inside', { wei: [1n] }, '{"wei":["1"]}'],
    ['an empty text', '', ''],
    ['an empty list', [], '[]'],
    ['a list with gaps', sparse, '[1,null,null,4]'],
    ['undefined inside', { a: undefined, b: [undefined], c: null }, '{"b":[null],"c":null}'],
    ['functions and symbols', { a: () => 1, b: Symbol('x'), [Symbol('k')]: 1, c: [() => 1] }, '{"c":[null]}'],
    ['a function alone', () => 1, 'null'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['an invalid date', { at: new Date(Number.NaN) }, '{"at":null}'],
    [
      'a Map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, new Map()],
      ]),
      '{"2":{},"a":1}',
    ],
    [
      'a Map whose keys are no names',
      new Map<unknown, unknown>([
        [{ id: 1 }, 'a'],
        [{ id: 2 }, 'b'],
      ]),
      '[[{"id":1},"a"],[{"id":2},"b"]]',
    ],
    [
      'a Map with two keys of one name',
      new Map<unknown, unknown>([
        [1, 'a'],
        ['1', 'b'],
      ]),
      '[[1,"a"],["1","b"]]',
    ],
    ['a Set', new Set([1, 'a']), '[1,"a"]'],
    [
      'typed arrays',
      { a: new Float32Array(4), b: new DataView(new ArrayBuffer(3)), c: new ArrayBuffer(2) },
      '{"a":"[16 bytes]","b":"[3 bytes]","c":"[2 bytes]"}',
    ],
    ['an error', { reason: new RangeError('too far') }, '{"reason":"RangeError: too far"}'],
    ['a class instance', new Temperature(), '{"celsius":7}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['a key named __proto__', JSON.parse('{"__proto__":{"admin":true},"a":1}'), '{"__proto__":{"admin":true},"a":1}'],
    ['circular references', circular, '{"name":"loop","self":"[circular]","list":["[circular]"]}'],
    [
      'one object twice',
      { a: shared, b: [shared, shared] },
      '{"a":{"city":"Oslo"},"b":[{"city":"Oslo"},{"city":"Oslo"}]}',
    ],
    ['a getter that throws', throwing, '{"fine":1,"bad":"[unreadable]"}'],
    ['a toJSON', { toJSON: () => ({ a: 1n }) }, '{"a":"1"}'],
    ['a toJSON that throws', { a: { toJSON: makeThrower() }, b: 2 }, '{"a":"[unreadable]","b":2}'],
    ['a proxy that throws', { a: new Proxy({}, { ownKeys: makeThrower() }) }, '{"a":"[unreadable]"}'],
  ])('becomes JSON: %s', (_name, value, json) => {
    const { content, output } = toToolResult(value)
    expect(content).toBe(json)
    expect(JSON.stringify(output)).toBe(json === '' ? '""' : json)
  })

  it.each<[string, unknown, string]>([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['NaN', Number.NaN, 'NaN'],
    ['a BigInt', 12345678901234567890n, '12345678901234567890'],
    ['a Buffer', Buffer.from('hello'), '[5 bytes]'],
    [
      'a toJSON that returns itself',
      {
        toJSON() {
          return this
        },
      },
      '[circular]',
    ],
  ])('becomes the text that it is in JSON: %s', (_name, value, text) => {
    expect(toToolResult(value)).toEqual({ content: text, output: text })
  })

  it('does not set prototypes from its keys', () => {
    const { output } = toToolResult(JSON.parse('{"__proto__":{"admin":true}}'))
    expect((output as { admin?: boolean }).admin).toBeUndefined()
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('never fails on a revoked proxy', () => {
    expect(() => JSON.stringify(toToolResult({ a: 1, dead: deadProxy.proxy }))).not.toThrow()
  })

  it.each([
    ['lists', (inner: unknown): unknown => [inner]],
    ['objects', (inner: unknown): unknown => ({ inner })],
    ['maps', (inner: unknown): unknown => new Map([['inner', inner]])],
    ['values that make themselves', (inner: unknown): unknown => ({ toJSON: () => inner })],
  ])('may be %s in 10,000 levels, with a mark where it stops', (_name, wrap) => {
    let value: unknown = 'core'
    for (let level = 0; level < 10_000; level++) value = wrap(value)
    const { content, output } = toToolResult(value)
    expect(content).toContain('too deep')
    expect(() => structuredClone(output)).not.toThrow()
  })

  it('may be infinite', () => {
    const endless = (): object =>
      Object.defineProperties({}, { a: { get: endless, enumerable: true }, b: { get: endless, enumerable: true } })
    const { content } = toToolResult(endless())
    expect(bytesOf(content)).toBeLessThanOrEqual(bound)
    expect(content).toMatch(/\[cut/)
  })

  it.each<[string, unknown]>([
    ['a long text', 'x'.repeat(1_000_000)],
    ['a list of a million', Array.from({ length: 1_000_000 }, (_, index) => index)],
    ['a list of ten million gaps', new Array(10_000_000)],
    ['a long text inside', { text: 'é'.repeat(500_000) }],
    ['many keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]))],
    ['a long key', { ['k'.repeat(600_000)]: 1 }],
    ['one object many times over', doubled(40)],
  ])('is cut with a mark when it is too long: %s', (_name, value) => {
    const { content, output } = toToolResult(value)
    expect(bytesOf(content)).toBeLessThanOrEqual(bound)
    expect(bytesOf(content)).toBeGreaterThan(bound / 2)
    expect(content).toMatch(/\[cut: \d+ of \d+ characters shown\]$/)
    expect(output).toBe(content)
  })

  it('is not cut at exactly the limit', () => {
    expect(toToolResult('x'.repeat(bound)).content).toHaveLength(bound)
    expect(toToolResult('x'.repeat(bound + 1)).content).toContain('[cut: ')
  })
})

describe('parts', () => {
  it.each<[string, unknown[]]>([
    ['a search hit', [{ type: 'text', text: 'a', score: 0.5 }]],
    ['an image with a size', [{ type: 'image', url: 'https://example.com/a.png', size: 3 }]],
  ])('are data when they have unknown fields: %s', (_name, list) => {
    expect(toToolResult(list)).toEqual({ content: JSON.stringify(list), output: list })
  })

  it('are copied: a tool may change its own objects later', () => {
    const part = { type: 'text', text: 'a' }
    const { content } = toToolResult([part])
    part.text = 'b'
    expect(content).toEqual([{ type: 'text', text: 'a' }])
  })

  it.each([
    ['base64', { type: 'image', base64: '', mediaType: 'image/png' }],
    ['an address', { type: 'image', url: '' }],
  ])('are a valid message when an image is empty: %s', (_name, image) => {
    const { content } = toToolResult([{ type: 'text', text: 'a' }, image])
    expect(content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: '[image without content]' },
    ])
    const call: Message = { role: 'assistant', content: [{ type: 'tool-call', callId: '1', name: 'draw', input: {} }] }
    const result: Message = { role: 'tool', callId: '1', name: 'draw', content }
    expect(validateTranscript([{ role: 'user', content: 'Draw.' }, call, result])).toEqual([])
  })

  it('share the limit', () => {
    const { content } = toToolResult(Array.from({ length: 3 }, () => ({ type: 'text', text: 'é'.repeat(100_000) })))
    const texts = content as { text: string }[]
    expect(texts[0]?.text).toHaveLength(100_000)
    expect(texts.map(({ text }) => text).join('')).toMatch(/\[cut: /)
    expect(texts.reduce((sum, { text }) => sum + bytesOf(text), 0)).toBeLessThanOrEqual(bound)
  })

  it('share the limit also when there are many', () => {
    const { content } = toToolResult(Array.from({ length: 10_000 }, () => ({ type: 'text', text: 'x'.repeat(100) })))
    const texts = (content as { text: string }[]).map(({ text }) => text).join('')
    expect(bytesOf(texts)).toBeLessThanOrEqual(bound)
    expect(texts).toMatch(/\[cut: /)
  })

  it.each<[string, unknown[]]>([
    ['a list that is not all parts', [{ type: 'text', text: 'a' }, { city: 'Oslo' }]],
    ['a text part without text', [{ type: 'text' }]],
    ['an image without a source', [{ type: 'image', mediaType: 'image/png' }]],
    ['a file', [{ type: 'file', url: 'https://example.com/a.pdf' }]],
    ['null', [null]],
  ])('are no content parts: %s', (_name, value) => {
    expect(toToolResult(value).content).toBe(JSON.stringify(value))
  })
})

describe('cutting', () => {
  it.each([
    ['one byte each', 'x'],
    ['two bytes each', 'é'],
    ['three bytes each', '漢'],
    ['four bytes each', '😀'],
    ['of every size', 'xé漢😀'],
    ['lone halves', '\ud83d'],
  ])('never splits a character or exceeds the limit: %s', (_name, character) => {
    const text = character.repeat(200)
    for (let maxBytes = 64; maxBytes < 200; maxBytes++) {
      const cut = cutText(text, maxBytes)
      expect(bytesOf(cut)).toBeLessThanOrEqual(maxBytes)
      const [, shown = '', count] = /^(.*)\n\[cut: (\d+) of \d+ characters shown\]$/s.exec(cut) ?? []
      expect(text.startsWith(shown)).toBe(true)
      expect(shown).toHaveLength(Number(count))
      if (character.isWellFormed()) expect(cut.isWellFormed()).toBe(true)
    }
  })

  it('keeps a text that fits, to the byte', () => {
    for (const text of ['x'.repeat(300), 'é'.repeat(150), '😀'.repeat(75)]) expect(cutText(text, 300)).toBe(text)
    expect(cutText('é'.repeat(150), 299)).toContain('[cut: ')
  })
})

function makeThrower(): () => never {
  return () => {
    throw new Error('no')
  }
}

/** A small graph that expands to 2^levels leaves. */
function doubled(levels: number): unknown {
  let value: unknown = 'leaf'
  for (let level = 0; level < levels; level++) value = [value, value]
  return value
}
