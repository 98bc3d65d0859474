import { AgentKitError } from '@agentkit/core'
import type { Callee } from '../errors/provider-error.ts'
import { type BodyReader, NodeResponse } from '../http/node-response.ts'
import type { CallWatch } from './call-watch.ts'
import type { Frame } from './frame.ts'
import { LineParser } from './line-parser.ts'
import { SseParser } from './sse-parser.ts'

/** How a body is split into frames: server-sent events, or one JSON document per line. */
export type Framing = 'sse' | 'ndjson'

/** Reads a response body: all frames of one socket read at once, `undefined` at the end. */
export interface FrameSource {
  /** @throws AgentKitError `malformed-stream` for an HTML page and for a frame that is too large */
  read(): Promise<Frame[] | undefined>
  /**
   * Releases the body without waiting. The body of a complete answer is read to its end, so that its socket is reused.
   */
  close(complete: boolean): void
}

export type FrameOptions = Callee & {
  /** Notified before and after each read; its failure ends the reading. */
  watch: CallWatch
  /** `sse` when absent. */
  framing?: Framing
  /** Longest incomplete frame, in characters; 16 million when absent. */
  maxFrameLength?: number
}

/** Splits text, which arrives in pieces of any size, into frames. */
export interface FrameParser {
  /** The frames that this text completes. */
  push(text: string): Frame[]
  /** The incomplete frame at the end of the stream, if there is one. */
  end(): Frame[]
  /** Characters in the buffer. */
  readonly pending: number
}

/**
 * Reads the frames of a response body. One JSON document, from a server that ignores `stream: true`, is one frame.
 *
 * @example
 * const source = readFrames(await fetch(url, { signal: watch.signal }), { watch, provider: 'acme', model: 'small' })
 * for (let frames = await source.read(); frames; frames = await source.read()) frames.forEach(handle)
 */
export function readFrames(response: Response, options: FrameOptions): FrameSource {
  const { watch, framing = 'sse', maxFrameLength = 16_000_000, provider, model } = options
  const source = bodyReaderOf(response)
  const decoder = new TextDecoder()
  const parser: FrameParser = framing === 'sse' ? new SseParser() : new LineParser()
  const malformed = (what: string): AgentKitError =>
    new AgentKitError('malformed-stream', `${provider} ${what}`, { provider, model, retryable: true })
  let kind: Kind = 'unknown'
  let begun = ''
  let ended = source === undefined
  // A body may ignore the request's signal.
  watch.onEnd(() => void source?.cancel().catch(ignore))

  const take = (text: string): Frame[] => {
    if (kind === 'frames') return parser.push(text)
    begun += text
    // The text before was blank; each piece is scanned once, however many there are.
    if (kind === 'unknown') kind = kindOf(text, framing)
    if (kind === 'html') {
      throw malformed('answered with a page of HTML instead of a stream of events. Check the base URL.')
    }
    if (kind !== 'frames') return []
    const first = begun
    begun = ''
    return parser.push(first)
  }
  const last = (): Frame[] => (kind === 'document' ? [{ event: '', data: begun, unterminated: true }] : parser.end())

  return {
    async read() {
      while (source && !ended) {
        watch.beforeRead()
        const { done, value } = await source.read()
        if (watch.failure) throw watch.failure
        if (!done && value?.byteLength === 0) continue
        watch.afterRead()
        ended = done
        const frames = take(done ? decoder.decode() : decoder.decode(value, streaming))
        if (done) frames.push(...last())
        if (frames.length > 0) return frames
        if (parser.pending + begun.length > maxFrameLength) {
          throw malformed(`sent an event of more than ${maxFrameLength} characters.`)
        }
      }
      return undefined
    },
    close(complete) {
      // The connection of a complete answer is mostly free already.
      if (!source || ended || (complete && source.hasEnded?.())) return
      if (complete) drain(source, watch)
      else source.cancel().catch(ignore)
    },
  }
}

/** Our own `fetch` hands its body out without the web's streams. */
function bodyReaderOf(response: Response): BodyReader | undefined {
  const own: unknown = response
  return own instanceof NodeResponse ? own.bodyReader() : response.body?.getReader()
}

type Kind = 'unknown' | 'frames' | 'document' | 'html'

const streaming = { stream: true } as const
const ignore = (): void => {}
const drainMs = 1000

/** A stream of server-sent events never begins with a brace or a bracket: that is a JSON document. */
function kindOf(text: string, framing: Framing): Kind {
  const first = text.trimStart().charAt(0)
  if (first === '') return 'unknown'
  if (first === '<') return 'html'
  return framing === 'sse' && (first === '{' || first === '[') ? 'document' : 'frames'
}

/** Reads to the end; closes the connection of a server that does not end within a second. */
function drain(source: BodyReader, watch: CallWatch): void {
  const timer = setTimeout(() => watch.cancel(), drainMs).unref()
  const settle = (): void => clearTimeout(timer)
  const next = (): Promise<void> => source.read().then(({ done }) => (done ? settle() : next()))
  next().catch(settle)
}
