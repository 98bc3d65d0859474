import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { cassetteHead, parseCassette } from './parse-cassette.ts'

const model = { model: 'test/one', info: { contextWindow: 8 } }
const call = { call: 2, model: 'test/one', request: { messages: [] }, events: [[]], at: '1-2' }
const earlier = { ...call, call: 1, model: 'test/two' }
const text = [cassetteHead, model, call, earlier].map((entry) => JSON.stringify(entry)).join('\n')

it('reads a text: the models, and the calls in the order of their requests', () => {
  const { models, calls } = parseCassette(text)
  expect(models).toEqual([model, { model: 'test/two' }])
  expect(calls).toEqual([earlier, call])
})

it('reads a text that begins with a byte order mark', () => {
  expect(parseCassette(`\uFEFF${text}`)).toEqual(parseCassette(text))
})

it.each(['\u2028', '\u2029', '\r'])('keeps a text with %j before a brace', (separator) => {
  const request = { messages: [{ role: 'user', content: `a${separator}{ "b": 1 }` }] }
  const [entry] = parseCassette(`${JSON.stringify(cassetteHead)}\r\n${JSON.stringify({ ...call, request })}\r\n`).calls
  expect(entry?.request).toEqual(request)
})

it.each([
  ['{"agentkit":"other"}', undefined, 'The cassette is broken: the entry at line 1 is not the head of a cassette.'],
  [`${text}\n{"a":1}`, 'a.cassette', 'The cassette a.cassette is broken: the entry at line 5 is neither'],
  [`${text}\n{"a":`, undefined, 'The cassette is broken: the entry at line 5 is not JSON.'],
  ['', undefined, 'The cassette is broken: the entry at line 1 is not JSON.'],
])('refuses %j of %s', (broken, name, message) => {
  expect(() => parseCassette(broken, name)).toThrow(message)
})

it('is free of imports of Node, with all that it imports, so that a page can have it', async () => {
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    resolve: { conditionNames: ['@agentkit/source', 'import'] },
    external: /^node:/,
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? join(import.meta.dirname, 'page.js') : null),
        load: (id) => (id.endsWith('page.js') ? "export { parseCassette } from '../index.ts'" : null),
      },
    ],
  })
  const { output } = await bundle.generate()
  await bundle.close()
  const chunks = output.filter((each) => each.type === 'chunk')
  expect(chunks.map(({ code }) => code).join()).toContain('is not the head of a cassette')
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([])
})
