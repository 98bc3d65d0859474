import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { sentPath } from './sent-path.ts'
import type { ServerEnv } from './server-env.ts'

const inner = new Hono<ServerEnv>().get('*', (context) => context.text(sentPath(context)))

it.each([
  ['/a/b', {}, '/a/b'],
  ['/a/b', { url: '/a/b?c=/a/b' }, '/a/b'],
  // `use` of Express has removed the prefix, `mount` of Hono below it another one.
  ['/a/b', { url: '/a/b', baseUrl: '/agent' }, '/agent/a/b'],
  ['/a/b', { url: '/inner/a/b', baseUrl: '/the%20agent' }, '/the%20agent/inner/a/b'],
  ['/a/b', { url: '/a/b', baseUrl: '//elsewhere.example' }, '/a/b'],
  ['/a/b', { url: '/a/b', baseUrl: '/\\elsewhere.example' }, '/a/b'],
  ['/a/b', { url: 'http://elsewhere.example/a/b' }, '/a/b'],
  ['/a/b', { url: '/other' }, '/a/b'],
])('is the path of the client: %s of %o', async (path, incoming, sent) => {
  expect(await (await inner.request(path, {}, { incoming })).text()).toBe(sent)
})

it('has the prefix that `mount` of Hono has removed, on Node', async () => {
  const outer = new Hono<ServerEnv>().mount('/agent', inner.fetch)
  const incoming = { url: '/agent/a/b?c=d' }
  expect(await (await outer.request('/agent/a/b?c=d', {}, { incoming })).text()).toBe('/agent/a/b')
  // Elsewhere no trace is left of it.
  expect(await (await outer.request('/agent/a/b')).text()).toBe('/a/b')
})
