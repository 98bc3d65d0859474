import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { createApp } from '../create-app.ts'

const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  closes.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens
}

const options = { overrideGlobalObjects: false }
const question = { role: 'user', content: 'Hello' }
/** Ignored, because the conversation ends with another message; more than the streams in between hold. */
const long = { role: 'user', content: 'x'.repeat(600_000) }
const bodies = [
  ['JSON', json([question])],
  ['long JSON', json([long, { role: 'assistant', content: 'I see.' }, question])],
  ['a form', form([question])],
  ['a long form', form([long, { role: 'assistant', content: 'I see.' }, question])],
] as const

describe('an app in an app of Hono', () => {
  it.each(bodies)('reads %s', async (_name, init) => {
    const url = await mounted(() => Promise.resolve())
    expect(await answerOf(fetch(`${url}/agent/api/v1/chat`, init()))).toEqual([200, 'Hello.'])
  })

  it.each(bodies)('reads %s that has begun to arrive before the token is known', async (_name, init) => {
    const url = await mounted(async (request) => {
      while (!request.readableDidRead) await setImmediate()
    })
    expect(await answerOf(fetch(`${url}/agent/api/v1/chat`, init()))).toEqual([200, 'Hello.'])
  })

  /** @param look what happens before the token is known */
  async function mounted(look: (request: IncomingMessage) => Promise<void>): Promise<string> {
    let request: IncomingMessage | undefined
    const auth = async () => {
      if (request) await look(request)
      return { userId: 'ada' }
    }
    const inner = createApp(fakeAgent(), { auth, log: () => {} })
    const listener = getRequestListener(new Hono().mount('/agent', inner.fetch).fetch, options)
    return listen((incoming, response) => {
      request = incoming
      return listener(incoming, response)
    })
  }
})

describe('an app behind a parser of bodies', () => {
  it.each(bodies)('says that the body was read, of %s', async (_name, init) => {
    const listener = getRequestListener(createApp(fakeAgent(), { log: () => {} }).fetch, options)
    const url = await listen(async (request, response) => {
      await text(request)
      await listener(request, response)
    })
    const response = await fetch(`${url}/api/v1/chat`, init())
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      code: 'invalid-config',
      detail: expect.stringContaining('express.json()'),
    })
  })
})

async function answerOf(response: Promise<Response>): Promise<[number, string]> {
  const { status } = await response
  return [status, await (await response).text()]
}

const authorization = 'Bearer a-token-of-the-tests'

function json(messages: object[]): () => RequestInit {
  const body = JSON.stringify({ user_id: 'ada', session_id: 'first', messages })
  return () => ({ method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body })
}

function form(messages: object[]): () => RequestInit {
  return () => {
    const body = new FormData()
    body.set('user_id', 'ada')
    body.set('session_id', 'first')
    body.set('chat_data', JSON.stringify({ messages }))
    return { method: 'POST', headers: { authorization }, body }
  }
}
