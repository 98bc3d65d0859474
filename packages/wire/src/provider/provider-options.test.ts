import { afterEach, expect, it, vi } from 'vitest'
import { checkAddress, checkModelId, findKey, once, requireKey, secretsOf } from './provider-options.ts'

const acme = { provider: 'acme', vendor: 'Acme', variables: ['ACME_API_KEY', 'ACME_KEY'] }

afterEach(() => void vi.unstubAllEnvs())

it('uses the given key, else the first variable that is not empty', () => {
  vi.stubEnv('ACME_API_KEY', ' ')
  vi.stubEnv('ACME_KEY', 'from-environment\n')
  expect(findKey(undefined, acme)).toBe('from-environment')
  expect(findKey(' ', acme)).toBe('from-environment')
  expect(findKey('given', acme)).toBe('given')
})

it('names the variables when no key is found', () => {
  expect(findKey(undefined, acme)).toBeUndefined()
  expect(() => requireKey(undefined, acme)).toThrow(
    expect.objectContaining({
      code: 'missing-key',
      message: 'No key for Acme. Set ACME_API_KEY or ACME_KEY, or pass apiKey.',
    }),
  )
})

it.each(['two words', 'line\nbreak', 'dash–dash', 'ümlaut'])(
  'refuses a key that no header carries, without telling it: %j',
  (key) => {
    const error = (() => {
      try {
        return findKey(key, acme)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toMatchObject({ code: 'invalid-config', provider: 'acme' })
    expect(String(error)).not.toContain(key)
  },
)

it('rejects a value that is not a URL', () => {
  expect(checkAddress('http://127.0.0.1:8080/v1', 'baseURL', 'x', 'acme').port).toBe('8080')
  expect(checkAddress('https://gw/v1', 'baseURL', 'x', 'acme').hostname).toBe('gw')
  for (const address of ['localhost:8080', 'file:///etc', '']) {
    expect(() => checkAddress(address, 'baseURL', 'http://localhost:8080/v1', 'acme')).toThrow(
      /The baseURL ".*" is not a URL. It looks like http:\/\/localhost:8080\/v1\./,
    )
  }
})

it('rejects an address with a fragment, after which no server would see a path', () => {
  for (const query of ['kept', 'refused'] as const) {
    const check = (): URL => checkAddress('https://gw/v1#key=hunter2', 'baseURL', 'http://gw/v1', 'acme', query)
    expect(check).toThrow('The baseURL "https://gw/v1#…" has a fragment: leave it out. It looks like http://gw/v1.')
  }
})

it('rejects a user and a password in a URL without repeating them', () => {
  for (const who of ['ada:hunter2', 'ada', ':hunter2']) {
    const check = (): URL => checkAddress(`https://${who}@gw/v1`, 'baseURL', 'http://gw/v1', 'acme')
    expect(check).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('a header') }),
    )
    expect(check).not.toThrow(/ada|hunter2/)
  }
})

it.each(['http://ada:hunter2@gw:99999999', 'http://ada:hunter/2@gw', 'ada:hunter2@gw/v1', 'http://gw/v1?key=hunter2'])(
  'rejects %s without its secrets',
  (address) => {
    const check = (): URL => checkAddress(address, 'baseURL', 'http://gw/v1', 'acme')
    expect(check).toThrow(expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('gw') }))
    expect(check).not.toThrow(/ada|hunter/)
  },
)

it('rejects a query where paths are appended to the URL', () => {
  expect(() => checkAddress('http://gw/v1?x=1', 'baseURL', 'http://gw/v1', 'acme')).toThrow(/has a query/)
  expect(checkAddress('http://gw/v1?x=1', 'baseURL', 'http://gw/v1', 'acme', 'kept').search).toBe('?x=1')
})

it.each([undefined, null, '', ' ', 3])('rejects %j as the name of a model', (id) => {
  expect(() => checkModelId(id as string, 'acme')).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('acme: model(id)') }),
  )
  expect(checkModelId('small', 'acme')).toBe('small')
  expect(() => checkModelId(undefined as never, 'acme')).toThrow('and got nothing.')
})

it('finds the headers with secrets', () => {
  const headers = { authorization: 'Bearer a', 'X-Api-Key': 'b', cookie: 'c', 'x-token': 'd', secret: 'e', team: 'f' }
  expect(secretsOf('key', headers)).toEqual(['key', 'Bearer a', 'a', 'b', 'c', 'd', 'e'])
  expect(secretsOf(undefined, { 'x-password': 'a', 'x-signature': 'b', 'x-design': 'c' })).toEqual(['a', 'b'])
  expect(secretsOf(undefined)).toEqual([])
})

it('finds the parameters of an address with secrets, encoded and decoded', () => {
  const address = 'https://gw/v1?api-version=2025-04-01&api_key=a%2Fb&sig=c+d&%74oken=e#key=f'
  expect(secretsOf('key', {}, address)).toEqual(['key', 'a/b', 'a%2Fb', 'c d', 'c+d', 'e'])
  expect(secretsOf(undefined, {}, 'https://gw/v1?key')).toEqual([])
  expect(secretsOf(undefined, {}, 'https://gw/v1')).toEqual([])
})

it('creates a value once, and again after a failure', () => {
  const make = vi
    .fn(() => 'connection')
    .mockImplementationOnce(() => {
      throw new Error('no key yet')
    })
  const connection = once(make)
  expect(connection).toThrow('no key yet')
  expect([connection(), connection()]).toEqual(['connection', 'connection'])
  expect(make).toHaveBeenCalledTimes(2)
})

it('creates a promise once, and again after it rejects', async () => {
  const make = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('client')
  const client = once(make)
  await expect(client()).rejects.toThrow('offline')
  expect(await Promise.all([client(), client()])).toEqual(['client', 'client'])
  expect(make).toHaveBeenCalledTimes(2)
})
