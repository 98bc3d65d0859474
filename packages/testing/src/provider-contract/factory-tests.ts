import { expect, it, vi } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import { askServer, type MakeProvider, type Subject } from './provider-under-test.ts'

/** What the factory does with its options. */
export function factoryTests(subject: Subject): void {
  const { wire, makeProvider } = subject

  it('sends requests by the global fetch where `transport` says so, and by a given fetch before that', async () => {
    await using server = await fakeProvider(wire, [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    const { fetch } = globalThis
    const global = vi.spyOn(globalThis, 'fetch').mockImplementation((...request) => fetch(...request))
    const own = vi.fn<typeof fetch>((...request) => fetch(...request))
    const ask = async (options: object): Promise<string> => {
      const make: MakeProvider = (given) => makeProvider({ ...given, options })
      return (await askServer({ ...subject, makeProvider: make }, server.url)).text
    }
    try {
      expect(await ask({ transport: 'fetch' })).toBe('One.')
      expect(global).toHaveBeenCalledTimes(1)
      expect(await ask({ transport: 'fetch', fetch: own })).toBe('Two.')
      expect(own).toHaveBeenCalledTimes(1)
      expect(global).toHaveBeenCalledTimes(1)
    } finally {
      global.mockRestore()
    }
    expect(await ask({ transport: 'node' })).toBe('Three.')
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
