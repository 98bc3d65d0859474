import { inspect } from 'node:util'
import { APICallError } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { ask, mockModel } from './__fixtures__/mock-models.ts'

// No form of a key that could be known without the model.
const token = 'plain words of a token'
const key = 'plain words of a key'
const headers = { authorization: `Bearer ${token}`, 'X-Api-Key': key, 'user-agent': 'acme' }

/** The error of a call whose server returns what it was sent, of a model that keeps these headers. */
async function errorWith(config: unknown): Promise<unknown> {
  const model = mockModel('v4', [
    () => {
      throw new APICallError({
        message: `The token "${token}" is not valid.`,
        url: 'https://acme.example',
        requestBodyValues: {},
        statusCode: 401,
        responseBody: JSON.stringify({ error: { message: `No user has ${key}, nor "${token}".` } }),
      })
    },
  ])
  return (await ask(Object.assign(model, { config }))).error
}

it.each([
  ['in an object', headers],
  ['by a function', () => headers],
  ['by an async function', async () => headers],
])('the credentials of a model, which has its headers %s, are in no error', async (_, given) => {
  const error = await errorWith({ headers: given })
  expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('is not valid') })
  const shown = inspect(error, { depth: 20, showHidden: true })
  expect(shown).not.toContain(token)
  expect(shown).not.toContain(key)
})

it.each<[string, unknown]>([
  ['whose headers never come', { headers: () => new Promise(() => {}) }],
  [
    'whose headers cannot be made',
    {
      headers() {
        throw new Error('There is no key.')
      },
    },
  ],
  ['whose headers are none', { headers: 5 }],
  ['without configuration', undefined],
])('the error of a model %s is that of its call', async (_, config) => {
  expect(await errorWith(config)).toMatchObject({ code: 'auth', status: 401 })
})
