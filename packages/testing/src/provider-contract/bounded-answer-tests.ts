import type { ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { Embedder } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import type { FakeWire } from '../fake-provider/wires/script.ts'
import { answering } from './answering.ts'
import { askServer, type MakeProvider, type Subject, testKey } from './provider-under-test.ts'

const { signal } = new AbortController()
const texts = ['one', 'two']

/** An answer of any length uses a bounded amount of memory, and its connection is released. */
export function boundedAnswerTests(subject: Subject): void {
  const { wire, makeProvider, models } = subject
  describe.each([
    ['our own fetch', {}],
    ["a user's fetch", { fetch: (...request: Parameters<typeof fetch>) => fetch(...request) }],
  ])('with %s', (_name, options) => {
    const make: MakeProvider = (server) => makeProvider({ ...server, options: { ...options, ...server.options } })

    it.each([
      ['endless', endless],
      ['a gzip bomb', gzipBomb],
    ])('an error whose body is %s is read in part, and its connection closed', async (_body, write) => {
      await using server = await answering((response) => write(response.writeHead(500, gzipped(write))))
      const { error } = await askServer({ ...subject, makeProvider: make }, server.url)
      expect(error).toMatchObject({ code: 'provider-error', status: 500 })
      await server.closed
      expect(server.sent()).toBeLessThan(mostSent)
    })

    const { embedding } = models
    if (embedding === undefined) return
    const embedderOf = (url: string): Embedder => {
      const embedder = make({ url, apiKey: testKey }).embedder?.(embedding)
      if (!embedder) throw new Error('The provider has no embedder.')
      return embedder
    }

    it.each([
      ['endless', endless],
      ['a gzip bomb', gzipBomb],
    ])('an embedding answer that is %s is `malformed-stream`, and its connection closed', async (_body, write) => {
      await using server = await answering((response) => write(response.writeHead(200, gzipped(write))))
      await expect(embedderOf(server.url).embed(texts, signal)).rejects.toMatchObject({
        code: 'malformed-stream',
        model: embedding,
      })
      await server.closed
      expect(server.sent()).toBeLessThan(mostSent)
    })

    it.each([
      ['too few vectors', [[1, 2]]],
      [
        'too many vectors',
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
      ],
      ['vectors of different lengths', [[1, 2], [3]]],
    ])('an embedding answer of %s is `malformed-stream`, and its connection used again', async (_name, vectors) => {
      await using server = await answering((response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(embeddingAnswer(wire, vectors))
      })
      const embedder = embedderOf(server.url)
      for (let time = 0; time < 4; time++) {
        await expect(embedder.embed(texts, signal)).rejects.toMatchObject({ code: 'malformed-stream' })
      }
      // Node's own fetch opens a second one before the first is free.
      expect(server.connections()).toBeLessThan(3)
    })

    it('an abort ends an embedding answer that has begun, and closes its connection', async () => {
      const controller = new AbortController()
      await using server = await answering((response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"')
        setTimeout(() => controller.abort(), 20)
      })
      await expect(embedderOf(server.url).embed(texts, controller.signal)).rejects.toMatchObject({
        code: 'aborted',
        model: embedding,
      })
      await server.closed
    })
  })
}

/** More than the buffers of both sides hold; in bytes on the wire. */
const mostSent = 64_000_000

const spaces = Buffer.alloc(65_536, ' ')

function endless(response: ServerResponse): void {
  while (!response.destroyed && response.write(spaces));
  if (!response.destroyed) response.once('drain', () => endless(response))
}

/** A kilobyte on the wire is a megabyte when it is decompressed. */
function gzipBomb(response: ServerResponse): void {
  const gzip = createGzip()
  response.on('close', () => gzip.destroy())
  gzip.on('error', () => {}).pipe(response)
  const fill = (): void => {
    while (!gzip.destroyed && gzip.write(spaces));
    if (!gzip.destroyed) gzip.once('drain', fill)
  }
  fill()
}

function gzipped(write: (response: ServerResponse) => void): Record<string, string> {
  return { 'content-type': 'application/json', ...(write === gzipBomb && { 'content-encoding': 'gzip' }) }
}

function embeddingAnswer(wire: FakeWire, vectors: readonly number[][]): string {
  if (wire === 'gemini') return JSON.stringify({ embeddings: vectors.map((values) => ({ values })) })
  if (wire === 'ollama') return JSON.stringify({ embeddings: vectors })
  return JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ index, embedding })) })
}
