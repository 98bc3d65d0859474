import { expect, it } from 'vitest'
import { checkOptions, checkText } from './check-arguments.ts'

it.each([
  [null, 'are an object. There are: limit, from'],
  ['x', 'are an object'],
  [{ lmit: 3 }, 'call() has no option "lmit". There are: limit, from'],
  [{ limit: 0 }, '`limit` is a whole number from 1 on, not 0.'],
  [{ limit: '3' }, 'not "3"'],
  [{ limit: 1.5 }, 'not 1.5'],
  [{ from: -1 }, '`from` is a whole number from 0 on'],
  [{ from: Number.NaN }, 'not NaN'],
  [{ maxFileBytes: 'x' }, '`maxFileBytes` is a whole number of bytes'],
  [{ maxFileBytes: -1 }, 'not -1'],
  [{ paths: 'handbook/' }, '`paths` is a list of texts, such as ["handbook/"]'],
  [{ paths: [3] }, '`paths` is a list'],
  [{ paths: ['a/'.repeat(1_000)] }, 'of at most 1024 characters each'],
  [{ exts: [null] }, '`exts` is a list'],
  [{ signal: {} }, '`signal` is an AbortSignal'],
])('refuses the options %j', (options, message) => {
  const check = () => checkOptions('call()', options, ['limit', 'from', 'maxFileBytes', 'paths', 'exts', 'signal'])
  expect(check).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  expect(check).toThrow(message)
})

it.each([undefined, {}, { limit: 1, from: 0, paths: [], exts: ['md'] }, { limit: undefined }])(
  'takes %j',
  (options) => {
    expect(() => checkOptions('call()', options, ['limit', 'from', 'paths', 'exts'])).not.toThrow()
  },
)

it.each([
  [undefined, 'undefined'],
  [5, '5'],
  [' ', 'an empty text'],
])('refuses %j where a text is needed', (value, shown) => {
  const check = () => checkText('call()', value, 'say what')
  expect(check).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  expect(check).toThrow(`call() was given ${shown}: say what.`)
})

it('refuses a text that is longer than is looked at, by its length alone', () => {
  expect(() => checkText('call()', 'x'.repeat(10), 'say less', 10)).not.toThrow()
  const check = () => checkText('call()', ' '.repeat(11), 'say less', 10)
  expect(check).toThrow('call() was given a text of 11 characters; at most 10 are allowed: say less.')
})
