import type { ModelEvent } from '@agentkit/core'
import type { FrameReader } from '../stream/model-stream.ts'

export const callee = { provider: 'acme', model: 'small' }
export const context = { ...callee, secrets: ['hunter2-hunter2'] }
export const timeouts = { firstByteTimeoutMs: 60_000, idleTimeoutMs: 60_000 }

/** A body that gives these pieces, one per read, and then ends. */
export function bodyOf(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const waiting = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
  return new ReadableStream({
    pull(controller) {
      const next = waiting.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
  })
}

/** A body that has these pieces and then stalls; `cancelled` is whether it was cancelled. */
export function stalledBody(...pieces: string[]): { body: ReadableStream<Uint8Array>; cancelled: () => boolean } {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
    },
    cancel() {
      cancelled = true
    },
  })
  return { body, cancelled: () => cancelled }
}

export function oneByteEach(text: string): Uint8Array[] {
  return [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte))
}

/** The events of a reader for these chunks and the end of the stream. */
export function readAll(reader: FrameReader, chunks: readonly unknown[]): ModelEvent[] {
  for (const chunk of chunks) {
    const data = typeof chunk === 'string' ? chunk : JSON.stringify(chunk)
    if (reader.read({ event: '', data })) break
  }
  reader.finish()
  return reader.take()
}

/** The error of a call or a promise. */
export async function errorOf(attempt: (() => unknown) | Promise<unknown>): Promise<unknown> {
  try {
    await (typeof attempt === 'function' ? attempt() : attempt)
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}
