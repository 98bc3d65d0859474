import { getEventListeners } from 'node:events'
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

it.each([10, 1_000])('cancels a body that is too long, and leaves no listener: %i bytes at most', async (mostBytes) => {
  const { signal: own } = new AbortController()
  let cancelled = false
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(100))
      if (mostBytes > 100) controller.close()
    },
    cancel() {
      cancelled = true
    },
  })
  const read = boundedResponse(new Response(body), mostBytes, own)
  if (mostBytes > 100) await read
  else await expect(read).rejects.toMatchObject({ code: 'malformed-stream' })
  expect(cancelled).toBe(mostBytes < 100)
  expect(getEventListeners(own, 'abort')).toEqual([])
})

it('reads nothing on where the signal has aborted already', async () => {
  let pieces = 0
  const endless = new ReadableStream({
    pull(controller) {
      pieces++
      controller.enqueue(new Uint8Array(1_000))
    },
  })
  const late = AbortSignal.abort(new Error('late'))
  await expect(boundedResponse(new Response(endless), 1_000_000, late)).rejects.toThrow('late')
  expect(pieces).toBeLessThan(5)
})
