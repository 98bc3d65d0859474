import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { decodedBody } from './decoded-body.ts'

/** Reads a body piece by piece, as a `ReadableStreamDefaultReader` does. */
export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel(): Promise<void>
  /** Whether the last byte has arrived, read or not, where that is known. */
  hasEnded?(): boolean
}

/**
 * The response of `nodeFetch`. `bodyReader` reads the body directly from the socket; `body`, `text()` and the like use
 * web streams, which are created when first needed. It does not say `implements Response`: that would be an error in the
 * projects of users whose types have a newer member.
 */
export class NodeResponse {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly url: string
  readonly redirected = false
  readonly type = 'basic'
  readonly #message: IncomingMessage
  readonly #reader: BodyReader
  #headers: Headers | undefined
  #response: Response | undefined

  constructor(message: IncomingMessage, url: string, signal?: AbortSignal) {
    this.status = message.statusCode ?? 0
    this.statusText = message.statusMessage ?? ''
    this.ok = this.status >= 200 && this.status < 300
    this.url = url
    this.#message = message
    // Created at once: a short or empty body frees its connection even when it is not read.
    const reader = readerOf(decodedBody(message), signal)
    this.#reader = this.ok ? reader : bounded(reader)
  }

  get headers(): Headers {
    this.#headers ??= new Headers(headerPairs(this.#message.rawHeaders))
    return this.#headers
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
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

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#asResponse().bytes()
  }

  blob(): Promise<Blob> {
    return this.#asResponse().blob()
  }

  formData(): Promise<FormData> {
    return this.#asResponse().formData()
  }

  clone(): Response {
    return this.#asResponse().clone()
  }

  /** The body without web streams. All callers share one reader, and its position. */
  bodyReader(): BodyReader {
    return this.#reader
  }

  /** Nothing is read before the first pull: the SDKs access `body` without reading it. */
  #asResponse(): Response {
    if (this.#response) return this.#response
    const { headers, statusText, status } = this
    const body = bodyless.has(status) ? null : new ReadableStream(pullFrom(this.#reader), { highWaterMark: 0 })
    // `Response` accepts no other status, but servers send some.
    const known = status >= 200 && status <= 599
    this.#response = new Response(body, { status: known ? status : 200, statusText, headers })
    return this.#response
  }
}

const bodyless: ReadonlySet<number> = new Set([204, 205, 304])

function headerPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([raw[index] as string, raw[index + 1] as string])
  return pairs
}

function pullFrom(reader: BodyReader): UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  return {
    async pull(controller) {
      const { done, value } = await reader.read()
      if (value) controller.enqueue(value)
      if (done) controller.close()
    },
    cancel: () => reader.cancel(),
  }
}

/** How much of an error body is read, in bytes: some are endless. */
const longestRefusal = 1_048_576

function bounded(reader: BodyReader): BodyReader {
  let read = 0
  return {
    async read() {
      if (read >= longestRefusal) {
        await reader.cancel()
        return { done: true }
      }
      const piece = await reader.read()
      read += piece.value?.byteLength ?? 0
      return piece
    },
    cancel: () => reader.cancel(),
  }
}

/** How much is buffered for the reader, in bytes, before the socket is paused. */
const bufferLimit = 65_536

/** All bytes since the last read are one piece: a burst of events costs one turn of the loop. */
function readerOf(stream: Readable, signal: AbortSignal | undefined): BodyReader {
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  let ended = false
  let failure: unknown
  let waiting: PromiseWithResolvers<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }> | undefined

  const settle = (): void => {
    if (!waiting || (bytes === 0 && !ended && failure === undefined)) return
    const { resolve, reject } = waiting
    waiting = undefined
    if (bytes > 0) {
      resolve({ done: false, value: pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, bytes) })
      pieces = []
      bytes = 0
    } else if (failure !== undefined) reject(failure)
    else resolve({ done: true })
  }
  stream.on('data', (piece: Uint8Array<ArrayBuffer>) => {
    // One read of the socket emits its pieces in a row.
    if (bytes === 0 && waiting) queueMicrotask(settle)
    pieces.push(piece)
    bytes += piece.byteLength
    if (bytes > bufferLimit) stream.pause()
  })
  stream.on('end', () => {
    ended = true
    settle()
  })
  const fail = (cause: Error): void => {
    if (ended || failure !== undefined) return
    failure = signal?.aborted ? signal.reason : new TypeError('terminated', { cause })
    settle()
  }
  stream.on('error', fail)
  stream.on('close', () => {
    // An error costs more than all else here, as it reads the stack.
    if (!ended && failure === undefined) fail(new Error('premature close'))
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
    hasEnded: () => ended,
  }
}
