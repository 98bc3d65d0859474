import { expect } from 'vitest'
import type { ModelServer } from './model-server.ts'

export const token = 'the-token-of-the-tests'

/** What takes a request as the framework's server does. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Over HTTP: a chat, a stream that is sent while the model answers, and a client that leaves. */
export async function checkApp(send: Send, model: ModelServer): Promise<void> {
  const anonymous = await send('/api/v1/chat', chat('Hello'))
  expect(anonymous.status).toBe(401)
  expect(await anonymous.json()).toMatchObject({ code: 'unauthorized' })

  const answer = await send('/api/v1/chat', chat('Hello', { authorization, accept: 'application/json' }))
  expect(await answer.json()).toMatchObject({ answer: 'Hello, Ada.', finish_reason: 'stop', user_id: 'ada' })
  expect(answer.status).toBe(200)

  const stream = await readerOf(await send('/api/v1/chat_stream', chat('Please wait', { authorization })))
  expect(await stream.until('text-delta')).toContain('"text":"Hello"')
  model.finish()
  expect(await stream.until('run-end')).toContain('"finishReason":"stop"')

  await leaveStream(send, model)
}

/** The model's server notices that a client has left in the middle of its answer. */
export async function leaveStream(send: Send, model: ModelServer): Promise<void> {
  const controller = new AbortController()
  const init = { ...chat('Please wait', { authorization }), signal: controller.signal }
  const stream = await readerOf(await send('/api/v1/chat_stream', init))
  await stream.until('text-delta')
  const left = model.left()
  controller.abort()
  await stream.leave()
  await left
}

const authorization = `Bearer ${token}`

export function chat(question: string, headers: Record<string, string> = {}): RequestInit {
  const body = new FormData()
  body.set('user_id', 'ada')
  body.set('session_id', `session-${crypto.randomUUID()}`)
  body.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content: question }] }))
  return { method: 'POST', headers, body }
}

type Reader = { until(word: string): Promise<string>; leave(): Promise<void> }

async function readerOf(response: Response): Promise<Reader> {
  if (response.status !== 200) expect(await response.text()).toBe('an event stream')
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader() // a stream has a body
  const decoder = new TextDecoder()
  let text = ''
  return {
    async until(word) {
      while (!text.includes(word) || !text.endsWith('\n\n')) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`The stream ended without ${word}: ${text}`)
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
    leave: () => reader.cancel().catch(() => {}), // an aborted one rejects
  }
}
