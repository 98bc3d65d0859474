import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { tracer } from '@agentkit/core/internal'
import { currentCall, type RunningCall } from './elicitation.ts'
import { limits } from './limits.ts'
import { answerTooLarge } from './mcp-error.ts'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * `fetch` with a bound for each answer, whose event streams beside the calls keep no program alive. A call within a trace
 * has the header `traceparent`.
 */
export const httpFetch: Fetch = async (url, given) => {
  const init = traced(given)
  const isBackground = (init?.method ?? 'GET') === 'GET' && acceptsEvents(init)
  const response = await (isBackground ? backgroundFetch(url, init) : fetch(url, init))
  if (!response.body || [204, 205, 304].includes(response.status)) return response
  const { status, statusText, headers } = response
  const call = isBackground ? undefined : currentCall.getStore()
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = response.body.pipeThrough(bound())
  const watched = call && isStream ? watchEnd(body, call) : body
  const bounded = new Response(watched, { status, statusText, headers })
  // The SDK compares addresses to detect redirects.
  Object.defineProperty(bounded, 'url', { value: response.url })
  Object.defineProperty(bounded, 'redirected', { value: response.redirected })
  return bounded
}

function traced(init: RequestInit | undefined): RequestInit | undefined {
  const current = tracer()
  if (!current) return init
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(current.headers())) headers.set(name, value)
  return { ...init, headers }
}

function acceptsEvents(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get('accept')?.includes('text/event-stream') ?? false
}

function bound(): TransformStream<Uint8Array, Uint8Array> {
  let left: number = limits.answerBytes
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.byteLength
      if (left >= 0) controller.enqueue(chunk)
      else controller.error(answerTooLarge())
    },
  })
}

/** Reports the end of a stream to its call, unless the SDK can continue the stream: the events then have ids. */
function watchEnd(body: ReadableStream<Uint8Array>, call: RunningCall): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder('latin1')
  let hasIds = false
  // The first line begins like any other.
  let line = '\n'
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) {
          line += decoder.decode(value, { stream: true })
          hasIds ||= /[\r\n]id:/.test(line)
          line = line.slice(-4)
          return controller.enqueue(value)
        }
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      if (!hasIds) call.streamEnded()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** A GET whose socket does not keep the program alive, which `fetch` has no option for. */
function backgroundFetch(address: string | URL, init: RequestInit | undefined): Promise<Response> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(new Headers(init?.headers))
    const sent = request(url, { method: 'GET', headers, agent: false, ...(init?.signal && { signal: init.signal }) })
    sent.on('socket', (socket) => socket.unref())
    sent.on('error', reject)
    sent.on('response', (answer) => {
      // Without a listener an aborted answer would be an uncaught error.
      answer.on('error', () => {})
      const body = Readable.toWeb(answer) as NodeReadableStream<Uint8Array>
      const received = new Headers()
      for (const [name, value] of Object.entries(answer.headers)) {
        for (const each of [value ?? []].flat()) received.append(name, each)
      }
      const { statusCode = 502 } = answer
      // `Response` accepts no other status, and an error thrown here would end the process.
      const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 502
      const isEmpty = [204, 205, 304].includes(status)
      // The same streams, whose types Node and the DOM declare apart.
      const stream = isEmpty ? null : (body as unknown as ReadableStream<Uint8Array>)
      resolve(new Response(stream, { status, headers: received }))
    })
    sent.end()
  })
}
