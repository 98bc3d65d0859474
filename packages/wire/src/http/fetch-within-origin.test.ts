import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpServer } from '../__fixtures__/servers.ts'
import { chosenFetch } from '../provider/factory-options.ts'
import { fetchWithinOrigin } from './fetch-within-origin.ts'
import { nodeFetch } from './node-fetch.ts'

afterEach(() => void vi.unstubAllGlobals())

const call = { method: 'POST', body: 'a', headers: { 'x-api-key': 'key', 'content-type': 'text/plain' } }

/** Another server, and one that redirects to it: at once, and by itself. */
async function redirecting(status: number) {
  const reached: string[] = []
  const other = await httpServer((request, response) => {
    reached.push(String(request.headers['x-api-key']))
    response.end('stolen')
  })
  const server = await httpServer(({ url, method, headers }, response) => {
    const targets: Record<string, string> = { '/within': '/end', '/by-itself': '/other', '/other': other.url }
    const location = targets[url ?? ''] ?? (url === '/circle' ? '/circle' : undefined)
    if (location === undefined) response.end(`${method} ${headers['x-api-key']} ${headers['content-type']}`)
    else response.writeHead(status, { location }).end()
  })
  return {
    url: server.url,
    reached,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    },
  }
}

describe.each([
  ['fetchWithinOrigin', fetchWithinOrigin],
  ['nodeFetch', nodeFetch],
  ["the fetch of transport: 'fetch'", chosenFetch({ transport: 'fetch' }) as typeof fetch],
])('%s', (_name, fetch) => {
  it.each([301, 302, 303, 307, 308])('follows %i within its origin as fetch does', async (status) => {
    await using server = await redirecting(status)
    const answer = await fetch(`${server.url}/within`, call)
    expect(await answer.text()).toBe(status < 304 ? 'GET key undefined' : 'POST key text/plain')
  })

  it.each(['/other', '/by-itself'])('sends nothing to another origin, to which %s leads', async (path) => {
    await using server = await redirecting(307)
    expect(await fetch(server.url + path, call)).toMatchObject({ status: 307, ok: false })
    expect(server.reached).toEqual([])
  })

  it('ends a circle of redirects', async () => {
    await using server = await redirecting(307)
    await expect(fetch(`${server.url}/circle`, call)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { message: 'redirect count exceeded' },
    })
  })

  it('sends a body that can be sent only once to its own address only', async () => {
    await using server = await redirecting(307)
    const { body } = new Response('a')
    const streamed = { ...call, body, duplex: 'half' } as RequestInit
    expect(await fetch(`${server.url}/other`, streamed)).toMatchObject({ status: 307 })
    const request = new Request(`${server.url}/other`, call)
    expect(await fetch(request.clone())).toMatchObject({ status: 307 })
    // As `@hono/node-server` does.
    vi.stubGlobal('Request', class extends Request {})
    expect(await fetch(request)).toMatchObject({ status: 307 })
    expect(server.reached).toEqual([])
  })

  it('leaves redirects to a caller that says so', async () => {
    await using server = await redirecting(308)
    expect(await fetch(`${server.url}/within`, { ...call, redirect: 'manual' })).toMatchObject({ status: 308 })
    await expect(fetch(`${server.url}/within`, { ...call, redirect: 'error' })).rejects.toBeInstanceOf(TypeError)
  })
})

it('reads no body of a redirect that it follows, and frees its connection', async () => {
  let cancelled = false
  const body = new ReadableStream({
    cancel() {
      cancelled = true
    },
  })
  const headers = { location: '/end' }
  const answers = [new Response(body, { status: 307, headers }), new Response('The end.')]
  vi.stubGlobal('fetch', async () => answers.shift())
  expect(await (await fetchWithinOrigin('https://acme.example/begin', call)).text()).toBe('The end.')
  expect(cancelled).toBe(true)
})
