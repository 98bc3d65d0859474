import type { ServerResponse } from 'node:http'
import { setTimeout as sleep, setImmediate as yieldToIO } from 'node:timers/promises'
import type { StreamFault, Transport } from './wires/script.ts'
import type { Frame, WireAnswer, WireSpec } from './wires/wire-spec.ts'

/** Writes an answer to the client, with the faults of the transport. */
export interface Connection {
  readonly response: ServerResponse
  /** Resets the connection. */
  reset(): void
  /** Settles when either side has disconnected. */
  readonly closed: Promise<void>
}

/** Streams an answer in the frames of its wire. */
export async function playStream(
  connection: Connection,
  answer: Pick<WireAnswer, 'finish' | 'failures'> & { content: Iterable<Frame> },
  transport: Transport,
  wire: Pick<WireSpec, 'framing' | 'lineEnd'>,
): Promise<void> {
  const { fault, lineEnd = wire.lineEnd ?? '\n' } = transport
  const { contentType, encode } = framings[wire.framing]
  const { response } = connection
  const textOf = (frame: Frame): string => (typeof frame === 'string' ? frame : encode(frame, lineEnd))
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' })
  response.flushHeaders()

  const say = (text: string): Promise<void> => write(response, text, transport)
  const sendAll = async (frames: Iterable<Frame>): Promise<void> => {
    for (const frame of frames) {
      if (response.destroyed) return
      await say(textOf(frame))
    }
  }
  if (!fault) {
    // Frame by frame: a generator may be endless.
    await sendAll(answer.content)
    await sendAll(answer.finish)
    return void response.end()
  }
  const content = [...answer.content]
  const { faultAfter = content.length } = transport
  const frames = [...content, ...answer.finish]
  await sendAll(frames.slice(0, faultAfter))
  if (response.destroyed) return
  const rest = frames.slice(faultAfter)
  switch (fault) {
    case 'error-frame':
    case 'flat-error-frame':
    case 'failed':
      await sendAll(answer.failures[fault])
      return void response.end()
    case 'garbage-frame':
      await sendAll([garbageLike(rest[0]), ...rest])
      return void response.end()
    default:
      await breakOff(connection, textOf(rest[0] ?? ''), fault)
  }
}

/** Answers a request that is not streamed. Faults cut its body in half, or replace it. */
export async function playBody(connection: Connection, body: unknown, transport: Transport): Promise<void> {
  const { fault } = transport
  if (transport.delayMs) await sleep(transport.delayMs)
  if (connection.response.destroyed) return
  connection.response.writeHead(200, { 'content-type': 'application/json' })
  const text = JSON.stringify(body)
  switch (fault) {
    case undefined:
      await write(connection.response, text, { ...transport, delayMs: 0 })
      return void connection.response.end()
    case 'garbage-frame':
      return void connection.response.end('{"id": not json')
    case 'error-frame':
    case 'flat-error-frame':
    case 'failed':
      return void connection.response.end(text)
    default:
      await breakOff(connection, text, fault)
  }
}

async function breakOff(
  connection: Connection,
  next: string,
  fault: Extract<StreamFault, 'hang' | 'cut' | 'early-eof' | 'eof-in-frame'>,
): Promise<void> {
  const { response } = connection
  const half = next.slice(0, Math.ceil(next.length / 2))
  switch (fault) {
    case 'hang':
      return connection.closed
    case 'early-eof':
      return void response.end()
    case 'eof-in-frame':
      return void response.end(half)
    case 'cut':
      // The first half must be sent before the reset, which drops what the socket still buffers.
      await new Promise<void>((resolve) => void response.write(half, () => resolve()))
      await yieldToIO()
      connection.reset()
  }
}

/** A frame that is not JSON, with the event name of the expected one: a client may skip unknown events. */
function garbageLike(next: Frame | undefined): Exclude<Frame, string> {
  const named = typeof next === 'object' && next.event !== undefined ? { event: next.event } : {}
  return { ...named, data: '{"id": not json' }
}

type Encode = (frame: Exclude<Frame, string>, lineEnd: string) => string

const framings: Record<WireSpec['framing'], { contentType: string; encode: Encode }> = {
  sse: {
    contentType: 'text/event-stream; charset=utf-8',
    encode: ({ event, data }, lineEnd) =>
      `${event === undefined ? '' : `event: ${event}${lineEnd}`}data: ${dataText(data)}${lineEnd}${lineEnd}`,
  },
  ndjson: { contentType: 'application/x-ndjson', encode: ({ data }, lineEnd) => `${dataText(data)}${lineEnd}` },
}

function dataText(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}

async function write(response: ServerResponse, text: string, transport: Transport): Promise<void> {
  if (transport.delayMs) await sleep(transport.delayMs)
  for (const bytes of cutBytes(Buffer.from(text), transport.writes)) {
    if (response.destroyed) return
    const hasRoom = response.write(bytes)
    if (!hasRoom) await drained(response)
    // Another turn of the event loop, so that the pieces are sent one by one.
    else if (transport.writes !== undefined && transport.writes !== 'frame') await yieldToIO()
  }
}

function cutBytes(bytes: Buffer, writes: Transport['writes']): Buffer[] {
  if (writes === 'byte') return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
  if (writes !== 'split-characters') return [bytes]
  const cuts: Buffer[] = []
  let start = 0
  bytes.forEach((byte, index) => {
    const beginsLongCharacter = byte >= 0xc0
    if (!beginsLongCharacter) return
    cuts.push(bytes.subarray(start, index + 1))
    start = index + 1
  })
  cuts.push(bytes.subarray(start))
  return cuts
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}
