import { ProblemError } from '../answer/problem.ts'
import type { ServerContext } from '../util/server-env.ts'
import { type FormOptions, noRoom, payloadTooLarge } from './read-form.ts'

/**
 * Reads a JSON body within the limits of a form.
 * @throws ProblemError for another content type, invalid JSON or UTF-8, and a body that exceeds a limit
 */
export async function readJSON(context: ServerContext, { limits, runs, held }: FormOptions): Promise<unknown> {
  if (!/^application\/json *(?:;|$)/i.test(context.req.header('content-type') ?? '')) {
    throw new ProblemError('unsupported-media-type', {
      detail: 'Send the request as application/json.',
      headers: { accept: 'application/json' },
    })
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  const { body } = context.req.raw
  if (body) {
    const reader = body.getReader()
    const stop = (): void => void reader.cancel().catch(() => {})
    const endsAt = performance.now() + limits.deadlineMs
    for (;;) {
      const ms = Math.min(limits.stalledMs, endsAt - performance.now())
      const { done, value } = await withinTime(reader.read(), Math.max(0, ms), stop).catch(asIncomplete)
      if (done) break
      bytes += value.length
      chunks.push(value)
      if (bytes > limits.bodyBytes) {
        stop()
        throw payloadTooLarge(limits.bodyBytes)
      }
      if (!held.set(bytes + chunks.length * 1024)) {
        stop()
        throw noRoom(runs)
      }
    }
  }
  return parse(chunks, limits.jsonDepth)
}

/** The client has left, or its body is not a valid stream. */
function asIncomplete(cause: unknown): never {
  if (cause instanceof ProblemError) throw cause
  throw new ProblemError('malformed-json', { detail: 'The body is not complete.', cause })
}

async function withinTime<T>(reading: Promise<T>, ms: number, stop: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stop()
      reject(new ProblemError('request-timeout', { headers: { connection: 'close' } }))
    }, ms)
  })
  return Promise.race([reading, stalled]).finally(() => clearTimeout(timer))
}

function parse(chunks: readonly Uint8Array[], jsonDepth: number): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new ProblemError('malformed-json', { detail: 'The body is not valid UTF-8.' })
  }
  if (isDeeper(text, jsonDepth)) {
    throw new ProblemError('malformed-json', { detail: `The body is nested deeper than ${jsonDepth} levels.` })
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ProblemError('malformed-json')
  }
}

/** Counts brackets outside of strings, before `JSON.parse` builds what is nested too deeply. */
export function isDeeper(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x22 /* " */) inString = !inString
    else if (inString) index += code === 0x5c /* \ */ ? 1 : 0
    else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      if (++depth > limit) return true
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) depth--
  }
  return false
}
