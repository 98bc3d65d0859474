import { describe, expect, it } from 'vitest'
import { findJSON } from './find-json.ts'

function textsIn(text: string): string[] {
  return [...findJSON(text)].map((found) => found.text)
}

describe('finds JSON', () => {
  it.each<[string, string, string[]]>([
    ['as the whole text', ' {"city":"Oslo"}\n', ['{"city":"Oslo"}']],
    ['as a whole text of any kind', 'null', ['null']],
    ['as a whole text with fences in it', '{"code":"\\n```js\\n```"}', ['{"code":"\\n```js\\n```"}']],
    ['in a fenced block', 'Here it is:\n```json\n{"city":"Oslo"}\n```\nAnything else?', ['{"city":"Oslo"}']],
    ['in a fenced block without a language', '```\n[1, 2]\n```', ['[1, 2]']],
    ['in an indented fenced block', '- So:\n  ```json\n  {"a": 1}\n  ```', ['{"a": 1}']],
    ['in a fenced block of one line', '```json {"a":1}```', ['{"a":1}']],
    ['in a fenced block that was not closed', 'So:\n```json\n{"a":1}\n', ['{"a":1}']],
    ['in a fenced block with more around it', '```\nconst x = {"a":1}\n```', ['{"a":1}']],
    ['in a fenced block, with fences in it', 'So:\n```json\n{"code":"```js\\n```"}\n```', ['{"code":"```js\\n```"}']],
    ['in prose', 'The answer is {"city":"Oslo"}, I think.', ['{"city":"Oslo"}']],
    ['in prose with quotes', 'A 5" pipe: {"size":5} and "so on".', ['{"size":5}']],
    ['after brackets that close nothing', 'Fine :] 1) and } so {"a":1}', ['{"a":1}']],
    ['after an interval', 'It is in [0, 1), so {"a":1}.', ['{"a":1}']],
    ['after a brace and a bracket that stay open', 'A { and a [b, and: {"a":1}', ['{"a":1}']],
    ['after a quote within brackets that stay open', 'In [about 5" or so: {"a":1}', ['{"a":1}']],
    ['before a face', '{"a":1} :[ or :{ as you like', ['{"a":1}']],
    ['in a fenced block, before a bracket that stays open', 'So:\n```json\n{"a":1}\n```\nSee [2', ['{"a":1}']],
    ['with brackets, quotes and backslashes in its strings', 'So: {"a":"}] \\"{ \\\\"}.', ['{"a":"}] \\"{ \\\\"}']],
    [
      'the last one first',
      'First {"n":1}, then\n```\n{"n":2}\n```\nand {"n":3} {"n":4}',
      [4, 3, 2, 1].map((n) => `{"n":${n}}`),
    ],
    ['as a whole, not its parts', 'So {"a":{"b":{}}}', ['{"a":{"b":{}}}']],
    ['as objects only, where it stands in prose', 'As in [1] and ["a"]: {"a":1}. See [2].', ['{"a":1}']],
  ])('%s', (_name, text, found) => {
    expect(textsIn(text)).toEqual(found)
  })

  it('with its value', () => {
    expect([...findJSON('So {"a":[1]}')]).toEqual([{ text: '{"a":[1]}', value: { a: [1] } }])
  })
})

describe('finds nothing', () => {
  it.each([
    ['in prose', 'It is sunny {mostly} in [northern] Oslo.'],
    ['in no text', ''],
    ['in what was cut short', '{"places":[{"city":"Oslo"},{"city":"Ber'],
    ['in what was cut short within a string', 'So: {"city":"Oslo }'],
    ['in a list in prose that was cut short', 'See [1. So: [{"city":"Oslo"},{"city"'],
    ['in an object that begins on a line of its own, and was cut short', 'See [1.\n{\n  "places": [{"city":"Oslo"}'],
    ['before an object that was cut short at its start', 'See [1, {"city":"Oslo"}, {'],
    ['in a list that was cut short', '```json\n[{"city":"Oslo"},{"city"'],
    ['in parts of what is misspelled', 'So: {"best": Oslo, "place": {"city":"Oslo"}}'],
    ['in parts of a script', '```js\nreturn [see, {"city":"Oslo"}]\n```'],
    ['before something that was cut short', 'Such as {"city":"Paris"}. The answer: {"city":"Os'],
    ['before a fenced block that was cut short', '```\n{"city":"Paris"}\n```\nNow:\n```\n{"city":"Os'],
  ])('%s', (_name, text) => {
    expect(textsIn(text)).toEqual([])
  })

  it('below a thousand levels, so that nothing downstream overflows the stack', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(textsIn(nested(1000))).toHaveLength(1)
    expect(textsIn(nested(1002))).toEqual([])
    expect(textsIn(`{"a":${nested(100_000)}} `)).toEqual([])
  })
})

describe('a hostile text', () => {
  const million = 1_000_000

  it.each<[string, string, number]>([
    ['opening brackets', '['.repeat(million), 0],
    ['opening braces and quotes', '{"'.repeat(million / 2), 0],
    ['backslashes in a string', `{"${'\\"'.repeat(million / 2)}`, 0],
    ['brackets of prose', '[a '.repeat(million / 3), 0],
    ['brackets and spaces', `[${' '.repeat(million / 1000)}x`.repeat(1000), 0],
    ['a bracket of prose before opening brackets', `[a ${'['.repeat(million)}`, 0],
    ['objects that never end', 'so {"a":'.repeat(million / 8), 0],
    ['deep brackets', `so ${'['.repeat(million / 2)}${']'.repeat(million / 2)}`, 0],
    ['empty objects', `so ${'{}'.repeat(million / 2)}`, 20],
    ['fences', '```\n{}\n'.repeat(million / 7), 40],
    ['fences of no JSON', '```\n{x}\n'.repeat(million / 8), 0],
    ['spaces', ' '.repeat(million), 0],
    ['one long string', `so ${JSON.stringify({ a: 'x'.repeat(million) })}`, 1],
  ])('is read once, and few of its blocks are treated as answers: %s', (_name, text, found) => {
    expect(textsIn(text)).toHaveLength(found)
  })

  it('keeps the key __proto__ as data', () => {
    const [found] = findJSON('So {"__proto__":{"polluted":true}}')
    expect(Object.keys(found?.value ?? {})).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(found?.value)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })
})
