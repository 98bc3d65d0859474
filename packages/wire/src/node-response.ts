import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

/** Reads a body piece by piece, as a `ReadableStreamDefaultReader` does. */
export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/**
 * The answer to a `nodeFetch`, as far as SDKs and readers use a `Response`. Its body is taken straight from the socket
 * by `bodyReader`; `body`, `text()` and the like go through the web's streams, when somebody asks for them.
 */
export class NodeResponse {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly url: string
  readonly redirected = false
  readonly type = 'basic'
  readonly #message: IncomingMessage
  #headers: Headers | undefined
  #reader: BodyReader | undefined
  #response: Response | undefined

  constructor(message: IncomingMessage, url: string) {
    this.status = message.statusCode ?? 0
    this.statusText = message.statusMessage ?? ''
    this.ok = this.status >= 200 && this.status < 300
    this.url = url
    this.#message = message
  }

  get headers(): Headers {
    this.#headers ??= new Headers(headerPairs(this.#message.rawHeaders))
    return this.#headers
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#asResponse().body
  }

  get bodyUsed(): boolean {
    return this.#response?.bodyUsed ?? false
  }

  text(): Promise<string> {
    return this.#asResponse().text()
  }

  json(): Promise<unknown> {
    return this.#asResponse().json()
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#asResponse().arrayBuffer()
  }

  blob(): Promise<Blob> {
    return this.#asResponse().blob()
  }

  clone(): Response {
    return this.#asResponse().clone()
  }

  /** The body without the web's streams. One reader for all: who asks second goes on where the first one stopped. */
  bodyReader(): BodyReader {
    this.#reader ??= readerOf(decoded(this.#message))
    return this.#reader
  }

  /** Nothing is read before somebody pulls: the SDKs look at `body` only to hold on to it. */
  #asResponse(): Response {
    if (this.#response) return this.#response
    const bodyless = this.status === 204 || this.status === 205 || this.status === 304
    const body = bodyless
      ? null
      : new ReadableStream<Uint8Array>(
          pullFrom(() => this.bodyReader()),
          { highWaterMark: 0 },
        )
    const { headers, statusText } = this
    const status = Math.max(this.status, 200)
    this.#response = new Response(body, { status, statusText, headers })
    return this.#response
  }
}

function headerPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([raw[index] as string, raw[index + 1] as string])
  return pairs
}

function pullFrom(reader: () => BodyReader): UnderlyingDefaultSource<Uint8Array> {
  return {
    async pull(controller) {
      const { done, value } = await reader().read()
      if (value) controller.enqueue(value)
      if (done) controller.close()
    },
    cancel: () => reader().cancel(),
  }
}

/** We ask for no compression, but a proxy may do it all the same. */
function decoded(message: IncomingMessage): Readable {
  const decoder = decoders[message.headers['content-encoding']?.trim().toLowerCase() ?? '']?.()
  if (!decoder) return message
  message.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => message.destroy())
  return message.pipe(decoder)
}

// Flushed as it comes: an event must not wait for the next one.
const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const decoders: Record<string, (() => Readable & NodeJS.WritableStream) | undefined> = {
  gzip: () => createGunzip(flush),
  'x-gzip': () => createGunzip(flush),
  deflate: () => createInflate(flush),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ flush: constants.ZSTD_e_flush }),
}

/** How much may wait for the reader, in bytes, before the socket is paused. */
const enoughWaiting = 65_536

/** All that has come since the last read is one piece: a burst of events costs one turn, not one each. */
function readerOf(stream: Readable): BodyReader {
  let pieces: Uint8Array[] = []
  let bytes = 0
  let ended = false
  let failure: Error | undefined
  let waiting: PromiseWithResolvers<{ done: boolean; value?: Uint8Array | undefined }> | undefined

  const settle = (): void => {
    if (!waiting || (bytes === 0 && !ended && !failure)) return
    const { resolve, reject } = waiting
    waiting = undefined
    if (bytes > 0) {
      resolve({ done: false, value: pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, bytes) })
      pieces = []
      bytes = 0
    } else if (failure) reject(failure)
    else resolve({ done: true })
  }
  stream.on('data', (piece: Uint8Array) => {
    // The pieces of one socket read come in a row.
    if (bytes === 0 && waiting) queueMicrotask(settle)
    pieces.push(piece)
    bytes += piece.byteLength
    if (bytes > enoughWaiting) stream.pause()
  })
  stream.on('end', () => {
    ended = true
    settle()
  })
  stream.on('error', (error) => {
    failure = error
    settle()
  })
  stream.on('close', () => {
    if (!ended) failure ??= new Error('premature close')
    settle()
  })

  return {
    read() {
      waiting ??= Promise.withResolvers()
      const { promise } = waiting
      settle()
      if (stream.isPaused()) stream.resume()
      return promise
    },
    async cancel() {
      stream.destroy()
    },
  }
}
