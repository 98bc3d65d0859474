import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { httpServer } from '../__fixtures__/servers.ts'
import { bodyOf, callee, errorOf, oneByteEach, stalledBody, timeouts } from '../__fixtures__/streams.ts'
import { callSignal, nodeFetch } from '../http/node-fetch.ts'
import { CallWatch } from './call-watch.ts'
import type { Frame } from './frame.ts'
import { readFrames } from './read-frames.ts'

async function read(body: ReadableStream<Uint8Array> | null, maxFrameLength?: number): Promise<Frame[][]> {
  const watch = new CallWatch(new AbortController().signal, timeouts, callee)
  watch.start()
  const reader = readFrames(new Response(body), { ...callee, watch, ...(maxFrameLength && { maxFrameLength }) })
  const batches: Frame[][] = []
  try {
    for (let frames = await reader.read(); frames; frames = await reader.read()) batches.push(frames)
  } finally {
    watch.stop()
  }
  return batches
}

describe('readFrames', () => {
  it('hands out all events of one read at once', async () => {
    const batches = await read(bodyOf('data: a\n\ndata: b\n\nda', 'ta: c\n\n'))
    expect(batches.map((frames) => frames.map(({ data }) => data))).toEqual([['a', 'b'], ['c']])
  })

  it('puts characters together that were split between reads', async () => {
    const batches = await read(bodyOf(...oneByteEach('data: grüße 🦊\n\n')))
    expect(batches).toEqual([[{ event: '', data: 'grüße 🦊' }]])
  })

  it('skips a byte order mark', async () => {
    expect(await read(bodyOf('\ufeffdata: a\n\n'))).toEqual([[{ event: '', data: 'a' }]])
  })

  it('skips blank lines before the first event', async () => {
    expect(await read(bodyOf('\r\n', '\r\n', 'data: a\n\n'))).toEqual([[{ event: '', data: 'a' }]])
  })

  it('scans blank lines once, however many precede the first event', async () => {
    const before = process.cpuUsage()
    const lines = Array.from({ length: 40_000 }, () => '\n'.repeat(25))
    expect(await read(bodyOf(...lines, 'data: a\n\n'))).toEqual([[{ event: '', data: 'a' }]])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(5_000)
  })

  it('marks the frame that the end of the stream cut short', async () => {
    expect(await read(bodyOf('data: {"a"'))).toEqual([[{ event: '', data: '{"a"', unterminated: true }]])
  })

  it('gives a JSON document as one frame, however it is split', async () => {
    const text = JSON.stringify({ a: ['ü', 1] }, null, 2)
    const batches = await read(bodyOf(...oneByteEach(` \n${text}`)))
    expect(JSON.parse(batches[0]?.[0]?.data ?? '')).toEqual({ a: ['ü', 1] })
    expect(batches).toHaveLength(1)
    // Only the end of the stream shows whether the frame is complete.
    expect(batches[0]?.[0]).toMatchObject({ unterminated: true })
    expect(await read(bodyOf('[{"a":1},\n\n', '{}]'))).toMatchObject([[{ data: '[{"a":1},\n\n{}]' }]])
  })

  it('marks a character that the end of the stream cut', async () => {
    const [bytes = new Uint8Array()] = [new TextEncoder().encode('data: ü')]
    const body = new Response(bytes.slice(0, -1)).body
    expect(await read(body)).toMatchObject([[{ data: '\ufffd', unterminated: true }]])
  })

  it('gives each line of NDJSON as a frame, also where the first begins a document', async () => {
    const watch = new CallWatch(new AbortController().signal, timeouts, callee)
    const reader = readFrames(new Response(bodyOf('{"a":1}\n{"b"')), { ...callee, watch, framing: 'ndjson' })
    expect(await reader.read()).toEqual([{ event: '', data: '{"a":1}' }])
    expect(await reader.read()).toMatchObject([{ data: '{"b"', unterminated: true }])
  })

  it('rejects an HTML page, and names the setting to check', async () => {
    const error = await errorOf(read(bodyOf(' \n<!doctype html>', '<html>')))
    expect(error).toMatchObject({ code: 'malformed-stream', retryable: true, ...callee })
    expect(String(error)).toContain('base URL')
  })

  it.each([
    ['of one line', ['data: ', 'x'.repeat(60), 'x'.repeat(60)]],
    ['of many lines', Array.from({ length: 30 }, () => 'data: x\n')],
    ['that is a document', ['{"a":"', 'x'.repeat(60), 'x'.repeat(60)]],
  ])('refuses an endless event %s', async (_name, pieces) => {
    expect(await errorOf(read(bodyOf(...pieces), 50))).toMatchObject({ code: 'malformed-stream' })
  })

  it('accepts many small events in a long stream', async () => {
    const batches = await read(bodyOf(...Array.from({ length: 50 }, () => 'data: 12345\n\n')), 50)
    expect(batches).toHaveLength(50)
  })

  it('fails with the failure of its watch', async () => {
    const { body, cancelled } = stalledBody('data: a\n\n')
    const watch = new CallWatch(new AbortController().signal, timeouts, callee)
    const reader = readFrames(new Response(body), { ...callee, watch })
    await reader.read()
    const pending = errorOf(reader.read())
    watch.cancel()
    expect(await pending).toMatchObject({ code: 'aborted' })
    expect(cancelled()).toBe(true)
  })

  it('treats a response without a body as ended', async () => {
    expect(await read(null)).toEqual([])
  })
})

describe('readFrames over nodeFetch', () => {
  /** Reads to `[DONE]`, as the readers of an answer do: they do not wait for the end of the body. */
  async function readToDone(url: string): Promise<string[]> {
    const watch = new CallWatch(new AbortController().signal, timeouts, callee)
    watch.start()
    const reader = readFrames(await nodeFetch(url, { [callSignal]: watch.signal }), { ...callee, watch })
    const data: string[] = []
    while (data.at(-1) !== '[DONE]') data.push(...((await reader.read()) ?? []).map((frame) => frame.data))
    watch.stop()
    reader.close(true)
    return data
  }

  it('uses one connection for answers in a row', async () => {
    await using server = await httpServer(async (_request, response) => {
      response.write('data: a\n\n')
      await wait(2)
      response.end('data: b\n\ndata: [DONE]\n\n')
    })
    for (let call = 0; call < 20; call++) expect(await readToDone(server.url)).toEqual(['a', 'b', '[DONE]'])
    expect(server.sockets()).toBe(1)
  })

  it('uses a connection again whose answer ended a little later', async () => {
    let ended = Promise.withResolvers<void>()
    await using server = await httpServer(async (_request, response) => {
      response.write('data: [DONE]\n\n')
      await wait(10)
      response.end(ended.resolve)
    })
    for (let call = 0; call < 4; call++) {
      ended = Promise.withResolvers()
      await readToDone(server.url)
      await ended.promise
      for (let turn = 0; turn < 20; turn++) await nextTurn()
    }
    expect(server.sockets()).toBe(1)
  })

  it('closes the connection of a server that does not end its answer', async () => {
    await using server = await httpServer((_request, response) => void response.write('data: [DONE]\n\n'))
    await readToDone(server.url)
    await server.closed
  })

  it('closes the connection of an answer that is given up', async () => {
    await using server = await httpServer((_request, response) => void response.write('data: a\n\n'))
    const watch = new CallWatch(new AbortController().signal, timeouts, callee)
    const reader = readFrames(await nodeFetch(server.url), { ...callee, watch })
    expect(await reader.read()).toMatchObject([{ data: 'a' }])
    reader.close(false)
    await server.closed
  })
})
