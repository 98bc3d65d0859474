import { AgentKitError, type Model } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { callee, errorOf, timeouts } from '../__fixtures__/streams.ts'
import { type ProviderModelOptions, providerModel } from './provider-model.ts'

it('fails with a mapping error when it is read, and not before', async () => {
  const model = providerModel({
    ...callee,
    timeouts,
    load: async () => {},
    prepare() {
      throw new RangeError('too deep')
    },
    toError: (cause) => new AgentKitError('provider-error', 'It failed.', { cause }),
  })
  const stream = model.stream({ messages: [] }, new AbortController().signal)
  expect(await errorOf(Array.fromAsync(stream))).toMatchObject({
    code: 'provider-error',
    cause: new RangeError('too deep'),
  })
  expect([model.id, model.info]).toEqual(['acme/small', undefined])
})

describe('the longest silence', () => {
  const silent = (options: Partial<ProviderModelOptions>) =>
    providerModel({
      ...callee,
      timeouts: {},
      load: async () => {},
      prepare: () => ({ warnings: [], send: () => new Promise(() => {}), reader }),
      toError: (cause) => new AgentKitError('provider-error', 'It failed.', { cause }),
      ...options,
    })
  const reader = { read: () => true, finish() {}, take: () => [] }
  const silenceOf = async (model: Model) =>
    errorOf(Array.fromAsync(model.stream({ messages: [] }, new AbortController().signal)))

  it.each([
    ['a default that was set later', {}, {}],
    ["a default, rather than the provider's own", {}, { firstByteTimeoutMs: 300_000 }],
    ['an option that is undefined, as none', { firstByteTimeoutMs: undefined }, {}],
    ['what the factory was given', { firstByteTimeoutMs: 7 }, {}],
  ])('is %s', async (_name, timeouts, defaultTimeouts) => {
    const given = timeouts as ProviderModelOptions['timeouts'] // plain JavaScript passes `undefined` too
    const model = silent({ timeouts: given, defaultTimeouts })
    const expected = given.firstByteTimeoutMs ?? 5
    const failure = await silenceOf(model.withDefaultTimeout?.(5) as Model)
    expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining(`within ${expected} ms`) })
  })

  it('is rejected at once when it is invalid', () => {
    expect(() => silent({ timeouts: { idleTimeoutMs: 0 } })).toThrow('`idleTimeoutMs`')
  })
})
