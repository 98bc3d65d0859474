import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunNotice } from '@agentkit/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { keyOfSecret, signature } from './signature.ts'
import { webhook } from './webhook.ts'

const key = keyOfSecret('a-secret-of-the-test', 'The secret')
const record = { runId: 'run_1', agentId: 'writer', userId: 'ann', attempts: 1, approvals: [], sources: [] }
const notice: RunNotice = {
  noticeId: 'notice_1',
  tries: 0,
  createdAt: Date.parse('2026-11-24T10:00:00Z'),
  record: { ...record, sessionId: 's1', status: 'done', text: 'The answer', createdAt: '2026-11-24T09:00:00Z' },
}

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const clean of cleanups.splice(0)) await clean()
})

type Received = { headers: IncomingMessage['headers']; body: string; path: string | undefined }

async function receiver(answer: (response: ServerResponse) => void) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body, path: request.url })
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo // of a server that listens on a port
  return { url: new URL(`http://127.0.0.1:${port}/hook?key=in-the-query`), received }
}

function answerWith(status: number, headers: Record<string, string> = {}): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status, headers).end()
}

describe('a webhook', () => {
  it('receives ids and status of a run, signed', async () => {
    const { url, received } = await receiver(answerWith(204))
    await webhook({ url, key, now: () => 1_764_000_000_500 })(notice)
    const [{ headers, body } = { headers: {}, body: '' }] = received
    expect(JSON.parse(body)).toEqual({
      type: 'run.done',
      timestamp: '2026-11-24T10:00:00.000Z',
      data: { run_id: 'run_1', agent_id: 'writer', user_id: 'ann', session_id: 's1', status: 'done' },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'notice_1',
      'webhook-timestamp': '1764000000',
      'webhook-signature': await signature(key, `notice_1.1764000000.${body}`),
    })
  })

  it('has the same id when it is sent again, and a new time', async () => {
    const { url, received } = await receiver(answerWith(200))
    let now = 1_764_000_000_000
    const deliver = webhook({ url, key, now: () => now })
    await deliver(notice)
    now += 5_000
    await deliver({ ...notice, tries: 1 })
    expect(received.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']])).toEqual([
      ['notice_1', '1764000000'],
      ['notice_1', '1764000005'],
    ])
  })

  it.each([301, 307, 400, 404, 500, 503])('is not delivered when it is answered by %i', async (status) => {
    const elsewhere = await receiver(answerWith(200))
    const { url, received } = await receiver(answerWith(status, { location: elsewhere.url.href }))
    const delivery = webhook({ url, key })(notice)
    await expect(delivery).rejects.toMatchObject({
      code: 'network',
      message: `The webhook at ${url.origin} answered ${status}.`,
    })
    expect(received).toHaveLength(1)
    expect(elsewhere.received).toEqual([])
  })

  it('reads nothing of an endless answer', async () => {
    const { url } = await receiver((response) => {
      response.writeHead(200)
      const send = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', send)
      send()
    })
    await webhook({ url, key })(notice)
  })

  it('that does not answer is given up after 15 s', async () => {
    const limit = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    const { url, received } = await receiver(() => limit.abort(new DOMException('Too late.', 'TimeoutError')))
    const delivery = webhook({ url, key })(notice)
    await expect(delivery).rejects.toMatchObject({
      code: 'timeout',
      message: `The webhook at ${url.origin} did not answer within 15 s.`,
    })
    expect(received).toHaveLength(1)
    expect(timeout).toHaveBeenCalledWith(15_000)
  })

  it('that cannot be reached is an error that names its origin alone', async () => {
    const { url } = await receiver(answerWith(200))
    await cleanups.pop()?.()
    const error = await webhook({ url, key })(notice).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'network',
      message: `The webhook at ${url.origin} cannot be reached (ECONNREFUSED).`,
    })
  })
})
