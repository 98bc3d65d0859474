import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { IncomingMessage } from 'node:http'
import { isRecord } from '@agentkit/core/internal'
import { expect, it, vi } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import { askServer, type MakeProvider, type Subject } from './provider-under-test.ts'

/** Tests the options of the factory. */
export function factoryTests(subject: Subject): void {
  const { wire, makeProvider } = subject

  it('sends requests by the global fetch where `transport` says so, and by a given fetch before that', async () => {
    await using server = await fakeProvider(wire, [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    // Listens to Node's own fetch, because a replaced global `fetch` is called with either transport.
    const byFetch = vi.fn()
    subscribe('undici:request:create', byFetch)
    const own = vi.fn<typeof fetch>(async () => Response.json({}, { status: 500 }))
    const ask = async (options: object): Promise<string> => {
      const make: MakeProvider = (given) => makeProvider({ ...given, options })
      return (await askServer({ ...subject, makeProvider: make }, server.url)).text
    }
    try {
      expect(await ask({ transport: 'node' })).toBe('One.')
      expect(await ask({})).toBe('Two.')
      expect(byFetch).not.toHaveBeenCalled()
      expect(await ask({ transport: 'fetch' })).toBe('Three.')
      expect(byFetch).toHaveBeenCalledTimes(1)
      await ask({ transport: 'fetch', fetch: own })
      expect(own).toHaveBeenCalledTimes(1)
      expect(byFetch).toHaveBeenCalledTimes(1)
    } finally {
      unsubscribe('undici:request:create', byFetch)
    }
  })

  it('calls functions for its key and headers before each request, whose errors carry none of them', async () => {
    await using server = await fakeProvider(wire, [
      { text: 'One.' },
      { status: 400, message: 'Not with turn-key-2 or turn-token-2.' },
    ])
    let turn = 0
    const options = {
      apiKey: () => `turn-key-${++turn}`,
      headers: async () => ({ 'x-turn-token': `turn-token-${turn}` }),
    }
    const provider = makeProvider({ url: server.url, apiKey: '', options })
    const asked: Subject = { ...subject, makeProvider: () => provider }
    // The fake server records no key, so the received headers are read from Node's own channel.
    const received: string[] = []
    const onReceived = (message: unknown): void => void received.push(JSON.stringify(headersOf(message)))
    subscribe('http.server.request.start', onReceived)
    try {
      expect(await askServer(asked, server.url)).toMatchObject({ text: 'One.' })
      const { error } = await askServer(asked, server.url)
      expect(error).toMatchObject({ code: 'bad-request', message: expect.stringContaining('[redacted] or [redacted]') })
    } finally {
      unsubscribe('http.server.request.start', onReceived)
    }
    expect(received).toEqual([
      expect.stringMatching(/turn-key-1.*turn-token-1|turn-token-1.*turn-key-1/),
      expect.stringMatching(/turn-key-2.*turn-token-2|turn-token-2.*turn-key-2/),
    ])
  })

  it('sends nothing when a function for its key fails', async () => {
    await using server = await fakeProvider(wire, [{ text: 'One.' }])
    const options = { apiKey: () => Promise.reject(new Error('The vault is sealed.')) }
    const make: MakeProvider = (given) => makeProvider({ ...given, options })
    const { error, requests } = await askServer({ ...subject, makeProvider: make }, server.url)
    expect(error).toMatchObject({ code: 'auth', message: 'The function `apiKey` failed: The vault is sealed.' })
    expect(error?.provider).toBe(make({ url: server.url, apiKey: '' }).id)
    expect(requests).toEqual([])
    expect(server.requests).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['apiKey', 5, 'a text, or a function'],
    ['headers', 'x: y', 'an object of texts by the names of HTTP headers'],
    ['headers', { 'x-tenant': 5 }, 'an object of texts by the names of HTTP headers'],
    ['fetch', true, 'a function'],
    ['transport', 'http', '"node" or "fetch"'],
    ['client', 'mine', 'a client of the SDK'],
  ])('refuses a wrong value of `%s` (%o), and says what it is', (name, value, is) => {
    const make = (): unknown => makeProvider({ url: 'http://127.0.0.1:9', apiKey: 'none', options: { [name]: value } })
    expect(make).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(`\`${name}\` is ${is}`) }),
    )
  })
}

function headersOf(message: unknown): unknown {
  return isRecord(message) && message.request instanceof IncomingMessage ? message.request.headers : undefined
}
