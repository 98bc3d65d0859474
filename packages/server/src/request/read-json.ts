import type { Readable } from 'node:stream'
import { ProblemError } from '../answer/problem.ts'
import type { Hold } from '../capacity/held-bytes.ts'
import type { ServerContext } from '../util/server-env.ts'
import { bodyOf } from './body-of.ts'
import { bodyStalled, noRoom, payloadTooLarge } from './body-problems.ts'
import type { RouteParts } from './parts.ts'
import type { FormOptions } from './read-form.ts'

/**
 * Answers a request by its JSON body, which counts as held in memory until the answer is there, or its run has begun.
 *
 * @param answer gets `handOver` of the body's `Hold`, for a run
 * @throws ProblemError as `readJSON` does
 */
export async function withJSON<Answer>(
  context: ServerContext,
  { capacity, limits }: Pick<RouteParts, 'capacity' | 'limits'>,
  answer: (sent: unknown, handOver: Hold['handOver']) => Promise<Answer>,
): Promise<Answer> {
  const held = capacity.hold()
  try {
    const answered = await answer(await readJSON(context, { limits, runs: capacity.runs, held }), held.handOver)
    held.end()
    return answered
  } catch (error) {
    held.release()
    throw error
  }
}

/**
 * Reads a JSON body within the limits of a form.
 * @throws ProblemError for another content type, invalid JSON or UTF-8, and a body that exceeds a limit
 */
export async function readJSON(context: ServerContext, { limits, runs, held }: FormOptions): Promise<unknown> {
  if (!isJSON(context.req.header('content-type'))) {
    throw new ProblemError('unsupported-media-type', {
      detail: 'Send the request as application/json.',
      headers: { accept: 'application/json' },
    })
  }
  return parse(await readBytes(bodyOf(context), { limits, runs, held }), limits.jsonDepth)
}

/** Whether a `Content-Type` means JSON. */
export function isJSON(type = ''): boolean {
  return /^application\/json *(?:;|$)/i.test(type)
}

/** @throws ProblemError for a body that exceeds a limit, stalls, or is not complete */
function readBytes(body: Readable, { limits, runs, held }: FormOptions): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const late = (): void => fail(bodyStalled())
    const stalled = setTimeout(late, limits.stalledMs)
    const tooSlow = setTimeout(late, limits.deadlineMs)
    /** The listeners are removed, because they would keep the chunks in memory until the answer is sent. */
    const settle = (): void => {
      clearTimeout(stalled)
      clearTimeout(tooSlow)
      body.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    const fail = (problem: ProblemError): void => {
      settle()
      body.pause()
      reject(problem)
    }
    const onData = (chunk: Buffer): void => {
      stalled.refresh()
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > limits.bodyBytes) fail(payloadTooLarge(limits.bodyBytes))
      else if (!held.set(bytes + chunks.length * 1024)) fail(noRoom(runs))
    }
    const onEnd = (): void => {
      settle()
      resolve(chunks)
    }
    const onClose = (): void => fail(incomplete())
    const onError = (error: unknown): void => {
      if (error instanceof ProblemError) fail(error)
    }
    // A body that fails also emits `close`.
    body.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError)
    // The client may have left while its token was checked; then the body emits no more events.
    if (body.destroyed) fail(incomplete())
  })
}

/** The client has left, or its body is not a valid stream. */
function incomplete(): ProblemError {
  return new ProblemError('malformed-json', { detail: 'The body is not complete.' })
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

/** Counts brackets outside of strings, before `JSON.parse` builds a value that is nested too deeply. */
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
