import { afterEach, expect, it, vi } from 'vitest'
import { httpServer } from '../__fixtures__/servers.ts'
import { errorOf } from '../__fixtures__/streams.ts'
import { failureOfSdkError } from '../errors/failure.ts'
import { captureResponse, sdkFetch } from './capture-response.ts'

const { signal } = new AbortController()
afterEach(() => void vi.unstubAllGlobals())

it('captures the response, and gives the SDK an empty one', async () => {
  await using server = await httpServer((_request, response) => response.writeHead(200).end('data: a\n\n'))
  let shown = ''
  const response = await captureResponse(
    async (fetch) => {
      const seen = await fetch(server.url, { method: 'POST', body: '{}' })
      shown = `${seen.status} ${seen.headers.get('content-type')} ${await seen.text()}`
    },
    { signal, contentType: 'application/x-ndjson' },
  )
  expect(shown).toBe('200 application/x-ndjson ')
  expect(await response.text()).toBe('data: a\n\n')
})

/** As `@hono/node-server` replaces it. */
class OtherRequest extends Request {}

it.each([
  ['', Request],
  [', a clone of one of a class that has replaced the global one', OtherRequest],
])("sends the content of an SDK's Request%s", async (_which, present) => {
  vi.stubGlobal('Request', present)
  const seen: unknown[] = []
  await using server = await httpServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    seen.push([request.method, request.headers['x-key'], Buffer.concat(chunks).toString()])
    response.end('ok')
  })
  const request = new Request(server.url, { method: 'POST', headers: { 'x-key': 'k' }, body: '{"a":1}' })
  await captureResponse((fetch) => fetch(request.clone()), { signal })
  expect(seen).toEqual([['POST', 'k', '{"a":1}']])
})

it("throws the whole error response, independent of the SDK's handling", async () => {
  await using server = await httpServer((_request, response) =>
    response.writeHead(429, { 'retry-after': '7' }).end('{"error":{"message":"slow down","code":"busy"}}'),
  )
  const failed = captureResponse(
    async (fetch) => {
      await fetch(server.url).catch(() => {
        throw new Error('[object Object]')
      })
    },
    { signal },
  )
  const failure = failureOfSdkError(await errorOf(failed))
  expect(failure).toMatchObject({
    status: 429,
    message: 'slow down',
    code: 'busy',
    body: expect.stringMatching(/^{"e/),
  })
  expect(failure.headers?.get('retry-after')).toBe('7')
})

it.each([
  ['', 'it gave no reason.'],
  ['gone', 'gone'],
  ['[{"error":{"message":"first"}}]', 'first'],
])('reads an error body of %j', async (body, message) => {
  await using server = await httpServer((_request, response) => response.writeHead(500).end(body))
  const error = await errorOf(captureResponse((fetch) => fetch(server.url), { signal }))
  expect(failureOfSdkError(error)).toMatchObject({ status: 500, message })
})

it('rethrows the errors of the SDK before a request', async () => {
  const error = await errorOf(captureResponse(() => Promise.reject(new TypeError('bad input')), { signal }))
  expect(error).toEqual(new TypeError('bad input'))
})

it('captures the response even if the SDK fails on an empty one', async () => {
  await using server = await httpServer((_request, response) => response.end('data: a\n\n'))
  const taken = captureResponse(
    async (fetch) => {
      await fetch(server.url)
      throw new Error('confused')
    },
    { signal },
  )
  expect(await (await taken).text()).toBe('data: a\n\n')
})

it('throws an error response that the SDK swallows', async () => {
  await using server = await httpServer((_request, response) => response.writeHead(500).end('down'))
  const swallowed = captureResponse((fetch) => fetch(server.url).catch(() => 'nothing'), { signal })
  expect(failureOfSdkError(await errorOf(swallowed))).toMatchObject({ status: 500, message: 'down' })
})

it('throws when the SDK sends no request', async () => {
  expect(await errorOf(captureResponse(async () => {}, { signal }))).toEqual(new Error('The SDK made no request.'))
})

it("treats any error of a user's fetch as a broken connection", async () => {
  const broken = async (): Promise<Response> => {
    throw new Error('the proxy is on fire')
  }
  const error = await errorOf(captureResponse((fetch) => fetch('http://127.0.0.1:1'), { signal, fetch: broken }))
  expect(error).toMatchObject({ message: 'fetch failed', cause: { message: 'the proxy is on fire' } })
})

it("passes a URL, no Request, and the call's signal to a user's fetch", async () => {
  const seen: unknown[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push(input, init?.signal === signal, init && 'body' in init)
    return new Response('ok')
  }
  await captureResponse((taking) => taking(new Request('http://gw/a')), { signal, fetch })
  await captureResponse((taking) => taking('http://gw/b', { body: 'x' }), { signal, fetch })
  expect(seen).toEqual(['http://gw/a', true, false, 'http://gw/b', true, true])
})

it('rejects when the signal aborts', async () => {
  await using server = await httpServer(() => {})
  const controller = new AbortController()
  const failed = captureResponse((fetch) => fetch(server.url), { signal: controller.signal })
  controller.abort(new Error('left'))
  expect(await errorOf(failed)).toEqual(new Error('left'))
})

it("reads no more of an error body than it keeps, also from a user's fetch", async () => {
  let pieces = 0
  let isCancelled = false
  const body = new ReadableStream({
    pull(controller) {
      // Fails the test in place of the process, should all of it be read.
      if (++pieces > 1_000) controller.close()
      else controller.enqueue(new Uint8Array(16_384).fill(120))
    },
    cancel() {
      isCancelled = true
    },
  })
  const fetch = async (): Promise<Response> => new Response(body, { status: 500 })
  const failed = captureResponse((fetch) => fetch('http://127.0.0.1:1'), { signal, fetch })
  const error = await errorOf(failed)
  expect(failureOfSdkError(error)).toMatchObject({ status: 500 })
  expect(pieces).toBeLessThan(10)
  expect(isCancelled).toBe(true)
})

it("cuts the error bodies of a user's fetch, and returns its other responses unchanged", async () => {
  let cancelled = false
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
    cancel() {
      cancelled = true
    },
  })
  const refusal = new Response(endless, { status: 429, headers: { 'retry-after': '3' } })
  const cut = await sdkFetch(async () => refusal)('http://gw/')
  expect([cut.status, cut.headers.get('retry-after'), (await cut.text()).length]).toEqual([429, '3', 65_536])
  expect(cancelled).toBe(true)
  for (const answer of [new Response('fine'), new Response(null, { status: 304 })]) {
    expect(await sdkFetch(async () => answer)('http://gw/')).toBe(answer)
  }
})

it.each<[string, string]>([
  ['{"error":"Bad Request","message":"m"}', '{"error":{"error":"Bad Request","message":"m"}}'],
  ...['{"error":"m"}', '{"error":{"code":1},"message":"m"}', '{"detail":"m"}', '[1]', 'm'].map(
    (b): [string, string] => [b, b],
  ),
])('keeps for an SDK the reason beside the name of an error: %s', async (body, read) => {
  await using server = await httpServer((_request, response) => response.writeHead(400, { a: 'b' }).end(body))
  for (const fetch of [undefined, globalThis.fetch]) {
    const refusal = await sdkFetch(fetch)(server.url)
    expect([refusal.status, refusal.headers.get('a'), await refusal.text()]).toEqual([400, 'b', read])
  }
})

it('gives an SDK a status that the web does not have', async () => {
  await using server = await httpServer((_request, response) => response.writeHead(999).end('denied'))
  const refusal = await sdkFetch()(server.url)
  expect([refusal.status, refusal.ok, await refusal.text()]).toEqual([999, false, 'denied'])
})
