import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakePinecone } from '../../__fixtures__/fake-pinecone.ts'
import type { Failure, FakePinecone } from '../../__fixtures__/fake-pinecone-types.ts'
import { never } from '../../__fixtures__/make-file.ts'
import { createPineconeClient, loadPinecone, type PineconeClient } from './pinecone-client.ts'

let fake: FakePinecone
beforeEach(async () => {
  fake = await fakePinecone()
})
afterEach(() => fake.close())

const quick = { attempts: 3, firstWaitMs: 1 }
const clientOf = (options = {}): PineconeClient =>
  createPineconeClient({ apiKey: fake.apiKey, controllerHostUrl: fake.url, retry: quick, ...options })
const list = (client: PineconeClient, signal = never) => client.call(signal, (pinecone) => pinecone.indexes.list())

describe('a request', () => {
  it.each<[string, Failure]>([
    ['429', { status: 429 }],
    ['503', { status: 503 }],
    ['500', { status: 500 }],
    ['a broken connection', { reset: true }],
    ['half an answer', { status: 200, headers: { 'content-length': '5000' }, body: '{' }],
    ['an answer that is not JSON', { status: 200, body: '{"indexes": [' }],
  ])('is made again after %s, by us alone', async (_what, failure) => {
    fake.add({ name: 'docs', dimension: 4 })
    fake.fail({ ...failure, times: 2 })
    const { indexes } = await list(clientOf({ timeoutMs: 300 }))
    expect(indexes?.map(({ name }) => name)).toEqual(['docs'])
    expect(fake.requestsOf('list')).toHaveLength(3)
  })

  it('fails after its attempts', async () => {
    fake.fail({ status: 503, times: 9 })
    await expect(list(clientOf())).rejects.toMatchObject({ code: 'overloaded' })
    expect(fake.requestsOf('list')).toHaveLength(3)
  })

  it.each<[string, Failure, object]>([
    [
      '400 in the words of the data plane',
      { status: 400, body: '{"code":3,"message":"top_k is odd","details":[]}' },
      { code: 'bad-request', status: 400, message: 'Pinecone refused the request (400): top_k is odd' },
    ],
    [
      '422 in the words of the control plane',
      { status: 422, body: '{"status":422,"error":{"code":"INVALID_ARGUMENT","message":"No such region"}}' },
      { code: 'bad-request', status: 422, message: 'Pinecone refused the request (422): No such region' },
    ],
    ['402', { status: 402, body: 'Pay' }, { code: 'quota', retryable: false }],
    ['403 of a quota', { status: 403, body: 'You reached the max pods quota' }, { code: 'quota' }],
    ['403', { status: 403, body: 'Forbidden' }, { code: 'auth' }],
    ['404', { status: 404 }, { code: 'not-found' }],
    ['409', { status: 409 }, { code: 'bad-request', retryable: false }],
    ['a page of HTML', { status: 400, body: '<html>' }, { message: expect.stringContaining('a page of HTML') }],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      { code: 'provider-error', status: 302 },
    ],
    [
      '429 of the month',
      { status: 429, body: '{"message":"You have reached your read unit limit for the current month"}' },
      { code: 'quota', retryable: false },
    ],
  ])('is not made again after %s', async (_what, failure, error) => {
    fake.fail(failure)
    await expect(list(clientOf())).rejects.toMatchObject({ provider: 'pinecone', ...error })
    expect(fake.requestsOf('list')).toHaveLength(1)
  })

  it('passes on the delay that Pinecone requests, and the id of the request', async () => {
    fake.fail({ status: 429, headers: { 'retry-after': '7' } })
    const error = { code: 'rate-limit', status: 429, retryAfterMs: 7000, requestId: '6871913020958959605' }
    await expect(list(clientOf({ retry: { attempts: 1 } }))).rejects.toMatchObject(error)
    const date = new Date(Date.now() + 60_000).toUTCString()
    fake.fail({ status: 429, headers: { 'retry-after': date } })
    const later = list(clientOf({ retry: { attempts: 1 } }))
    await expect(later).rejects.toMatchObject({ retryAfterMs: expect.closeTo(60_000, -4) })
    // By the clock of Pinecone, whatever this machine's says.
    const headers = { date: 'Tue, 24 Nov 2026 10:00:00 GMT', 'retry-after': 'Tue, 24 Nov 2026 10:00:30 GMT' }
    fake.fail({ status: 429, headers })
    const soon = list(clientOf({ retry: { attempts: 1 } }))
    await expect(soon).rejects.toMatchObject({ retryAfterMs: 30_000 })
  })

  it('names the invalid key without its value', async () => {
    const apiKey = 'a-very-own-secret-key'
    const refused = await list(clientOf({ apiKey })).catch((error: unknown) => error)
    fake.apiKey = apiKey
    fake.fail({ status: 400, body: `{"message":"Odd key ${apiKey}"}` })
    expect(refused).toMatchObject({ code: 'auth', message: expect.stringContaining('PINECONE_API_KEY') })
    const failure = await list(clientOf()).catch((error: unknown) => error)
    expect(JSON.stringify([refused, failure, (failure as Error).message, (failure as Error).cause])).not.toContain(
      apiKey,
    )
  })

  it('without a response is a network error with the fix', async () => {
    const gone = await fakePinecone()
    await gone.close()
    const client = clientOf({ controllerHostUrl: gone.url })
    const error = {
      code: 'network',
      retryable: true,
      message: expect.stringMatching(/ECONNREFUSED.*controllerHostUrl/),
    }
    await expect(list(client)).rejects.toMatchObject(error)
  })

  it('times out', async () => {
    fake.onRequest = () => new Promise((resolve) => setTimeout(resolve, 500))
    await expect(list(clientOf({ timeoutMs: 20, retry: { attempts: 1 } }))).rejects.toMatchObject({ code: 'timeout' })
  })

  it('stops at its signal, in progress and during a pause', async () => {
    const stop = new AbortController()
    fake.onRequest = () => stop.abort()
    fake.fail({ status: 429, headers: { 'retry-after': '30' }, times: 9 })
    await expect(list(clientOf(), stop.signal)).rejects.toMatchObject({ code: 'aborted' })
    const waiting = new AbortController()
    fake.onRequest = () => void setTimeout(() => waiting.abort(), 20)
    await expect(list(clientOf(), waiting.signal)).rejects.toMatchObject({ code: 'aborted' })
    expect(fake.requestsOf('list').length).toBeLessThanOrEqual(2)
  })

  it('that the SDK itself refuses is an AgentKitError', async () => {
    const refused = clientOf().call(never, (pinecone) => pinecone.index({ host: fake.url }).deleteMany({ ids: [] }))
    await expect(refused).rejects.toMatchObject({ code: 'provider-error', retryable: false })
  })
})

it('names the package to install when it is missing', async () => {
  const absent = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(loadPinecone(() => Promise.reject(absent))).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm i @pinecone-database/pinecone'),
  })
})
