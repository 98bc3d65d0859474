import { gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { expectProblem } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'
import type { ServerEnv } from '../util/server-env.ts'
import type { PageFiles } from './page-files.ts'
import { mountPage, pagePolicy } from './page-routes.ts'

const tokens = { 'the-token-of-ada': 'ada' }
const file = (type: string, content: string) => ({ type, hash: 'h1', gzip: gzipSync(content).toString('base64') })
const files: PageFiles = {
  'index.html': file('text/html; charset=utf-8', '<p>page</p>'),
  'page-a1.js': file('text/javascript; charset=utf-8', 'start()'),
}

function pageOf(load: () => Promise<PageFiles | undefined> = async () => files): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  mountPage(app, { isServed: true, load })
  return app
}

describe('the page', () => {
  it('is at /, with a policy, to be asked for again each time', async () => {
    const response = await pageOf().request('/')
    expect([response.status, await response.text()]).toEqual([200, '<p>page</p>'])
    const { headers } = response
    expect(headers.get('content-security-policy')).toBe(pagePolicy)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(pagePolicy).toContain("script-src 'self';")
    expect(pagePolicy).not.toMatch(/unsafe|https?:|\*/)
  })

  it('is at a path of another app with a slash at its end, where its files are', async () => {
    const outer = new Hono().route('/agent', pageOf())
    const without = await outer.request('/agent')
    expect([without.status, without.headers.get('location')]).toEqual([302, 'agent/'])
    const response = await outer.request('/agent/')
    expect([response.status, await response.text()]).toEqual([200, '<p>page</p>'])
    expect((await outer.request('/agent/other')).status).toBe(404)
  })

  it.each([
    ['Express', '/agent', { url: '/', originalUrl: '/agent?dark' }, 'agent/'],
    ['Express', '/agent/', { url: '/', originalUrl: '/agent/' }, null],
    ['Express below another path', '/a/agent', { url: '/', originalUrl: '/a/agent' }, 'agent/'],
    ['mount of Hono', '/agent', { url: '/agent?dark' }, 'agent/'],
    ['mount of Hono', '/agent/', { url: '/agent/' }, null],
    ['a proxy', '/agent', { url: '/' }, null],
    ['nothing', '//elsewhere.example', { url: '//elsewhere.example' }, null],
    ['nothing', 'http://elsewhere.example', { url: 'http://elsewhere.example' }, null],
  ])('is where %s has removed the prefix of %s, at an address with a slash', async (_by, _sent, incoming, location) => {
    const response = await pageOf().request('/', {}, { incoming })
    expect([response.status, response.headers.get('location')]).toEqual([location === null ? 200 : 302, location])
  })

  it('is read, and no more', async () => {
    const app = createApp(fakeAgent(), { log: () => {} })
    const posted = await app.request('/', { method: 'POST' })
    await expectProblem(posted, 405, 'method-not-allowed')
    const asked = await app.request('/', { method: 'OPTIONS' })
    expect([asked.status, asked.headers.get('allow'), posted.headers.get('allow')]).toEqual([
      204,
      'GET, HEAD, OPTIONS',
      'GET, HEAD, OPTIONS',
    ])
  })

  it.each([
    ['http://localhost:8000/', undefined, 'same-origin'],
    ['http://127.0.0.1/', undefined, 'same-origin'],
    ['https://agent.example/', undefined, 'same-origin'],
    ['http://agent.example/', 'https', 'same-origin'],
    ['http://agent.example/', undefined, null],
    ['http://localhost.example/', undefined, null],
  ])('has at %s, forwarded by %s, a policy for openers where browsers obey it', async (url, proto, policy) => {
    const response = await pageOf().request(url, { headers: proto === undefined ? {} : { 'x-forwarded-proto': proto } })
    expect(response.headers.get('cross-origin-opener-policy')).toBe(policy)
  })

  it.each([
    ['none', null],
    ['cross-site', 'same-origin'],
    ['same-site', 'same-origin'],
    ['same-origin', 'same-origin'],
  ])('has that policy for each opener, and none for a person who opens it (%s)', async (site, policy) => {
    const { headers } = await pageOf().request('http://127.0.0.1/', { headers: { 'sec-fetch-site': site } })
    expect(headers.get('cross-origin-opener-policy')).toBe(policy)
    expect(headers.get('vary')).toBe('accept-encoding, sec-fetch-site')
  })

  it('is 304 for a client that has it', async () => {
    const etag = (await pageOf().request('/')).headers.get('etag') ?? ''
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const response = await pageOf().request('/', { headers: { 'if-none-match': known } })
      expect([known, response.status, await response.text()]).toEqual([known, 304, ''])
      expect(response.headers.get('etag')).toBe(etag)
    }
    expect((await pageOf().request('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('has files whose names change with their content, and which are kept for ever', async () => {
    const plain = await pageOf().request('/assets/page-a1.js')
    expect([plain.status, await plain.text()]).toEqual([200, 'start()'])
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const packed = await pageOf().request('/assets/page-a1.js', { headers: { 'accept-encoding': 'gzip' } })
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual(['gzip', 'accept-encoding'])
    const head = await pageOf().request('/assets/page-a1.js', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it.each(['index.html', 'other.js', '..%2fpage-a1.js', 'constructor', '__proto__', 'page-a1.js/x', ''])(
    'has no file %j',
    async (name) => expect((await pageOf().request(`/assets/${name}`)).status).toBe(404),
  )

  it('refers to its files relatively, so its address gets a slash at the end', async () => {
    const app = createApp(fakeAgent(), { basePath: '/agent' })
    const response = await app.request('/agent')
    expect([response.status, response.headers.get('location')]).toEqual([302, 'agent/'])
    expect((await app.request('/agent/')).status).toBe(200)
  })

  it('says on sources which command builds it', async () => {
    const response = await pageOf(async () => undefined).request('/')
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('npm run page')
    expect((await pageOf(async () => undefined).request('/assets/page-a1.js')).status).toBe(404)
  })
})

describe('the page of a server', () => {
  it('needs no token, and nothing else is public with it', async () => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    const page = await app.request('/')
    expect(page.status).toBe(200)
    const names = [...(await page.text()).matchAll(/\.\/assets\/([^"]+)/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThanOrEqual(2)
    for (const name of names) expect((await app.request(`/assets/${name}`)).status).toBe(200)
    expect((await app.request('/assets/other.js')).status).toBe(401)
    expect((await app.request(`/assets/${names[0]}`, { method: 'POST' })).status).toBe(401)
    expect((await app.request('/', { method: 'POST' })).status).toBe(401)
  })

  it('is under the checks of host and origin', async () => {
    const app = createApp(fakeAgent())
    const refused = async (path: string, headers: Record<string, string>, code: string) =>
      expectProblem(await app.request(path, { headers }), 403, code)
    for (const path of ['/', '/assets/page-a1.js']) {
      await refused(path, { host: 'evil.com' }, 'host-not-allowed')
      await refused(path, { origin: 'https://evil.com' }, 'cross-origin')
    }
    await refused('/assets/page-a1.js', { 'sec-fetch-site': 'cross-site' }, 'cross-origin')
  })

  it('is switched off by `playground: false`', async () => {
    const app = createApp(fakeAgent(), { playground: false })
    await expectProblem(await app.request('/'), 404, 'not-found')
    expect((await app.request('/assets/page.js')).status).toBe(404)
  })
})
