import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { expect, it, vi } from 'vitest'
import { decodeDeflate } from './decode-deflate.ts'

it.each<[string, (text: Buffer) => Buffer]>([
  ['with its header', (bytes) => zlib.deflateSync(bytes)],
  ['without its header', (bytes) => zlib.deflateRawSync(bytes)],
])('deflate %s is decoded no faster than it is read', async (_, encode) => {
  let inner: Transform | undefined
  const decoder = decodeDeflate((isRaw) => {
    inner = isRaw ? zlib.createInflateRaw() : zlib.createInflate()
    return inner
  })
  decoder.end(encode(Buffer.alloc(50_000_000)))
  await vi.waitFor(() => expect(inner?.isPaused()).toBe(true))
  expect(decoder.readableLength).toBeLessThan(1_000_000)
  let bytes = 0
  for await (const piece of decoder) bytes += piece.length
  expect(bytes).toBe(50_000_000)
})
