import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { boundedResponse } from './bounded-response.ts'

const { signal } = new AbortController()

it('returns a body within the limit unchanged', async () => {
  const bounded = await boundedResponse(new Response('{"a":1}', { status: 201 }), 7, signal)
  expect([bounded.status, await bounded.json()]).toEqual([201, { a: 1 }])
})

it('stops a body that decompresses to more than the limit, and reads no further', async () => {
  let unpacked = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      unpacked += piece.byteLength
      controller.enqueue(piece)
    },
  })
  const bomb = new Response(gzipSync(Buffer.alloc(64_000_000))).body
  const body = bomb?.pipeThrough(new DecompressionStream('gzip')).pipeThrough(counting) ?? null
  await expect(boundedResponse(new Response(body), 100_000, signal)).rejects.toMatchObject({
    code: 'malformed-stream',
    retryable: false,
  })
  expect(unpacked).toBeLessThan(2_000_000)
})

it('rejects when the signal aborts, and cancels the body', async () => {
  const controller = new AbortController()
  let cancelled = false
  const endless = new ReadableStream({
    pull: () => controller.abort(new Error('late')),
    cancel() {
      cancelled = true
    },
  })
  await expect(boundedResponse(new Response(endless), 100, controller.signal)).rejects.toThrow('late')
  expect(cancelled).toBe(true)
})
