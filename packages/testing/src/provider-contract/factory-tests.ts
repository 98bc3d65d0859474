import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it, vi } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import { askServer, type MakeProvider, type Subject } from './provider-under-test.ts'

/** What the factory does with its options. */
export function factoryTests(subject: Subject): void {
  const { wire, makeProvider } = subject

  it('sends requests by the global fetch where `transport` says so, and by a given fetch before that', async () => {
    await using server = await fakeProvider(wire, [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    // Of Node's own fetch: one that a test puts in its place is called with either transport.
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

  it.each<[string, unknown, string]>([
    ['apiKey', 5, 'a text'],
    ['apiKey', () => 'secret-key', 'a text'],
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
