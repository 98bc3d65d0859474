import { AgentKitError } from '@agentkit/core'
import { expect, it } from 'vitest'
import { callee, collect, errorOf, timeouts } from './__fixtures__/streams.ts'
import { providerModel } from './provider-model.ts'

it('fails with what cannot be mapped when it is asked, and not before', async () => {
  const model = providerModel({
    ...callee,
    timeouts,
    ready: async () => {},
    prepare() {
      throw new RangeError('too deep')
    },
    toError: (cause) => new AgentKitError('provider-error', 'It failed.', { cause }),
  })
  const stream = model.stream({ messages: [] }, new AbortController().signal)
  expect(await errorOf(collect(stream))).toMatchObject({ code: 'provider-error', cause: new RangeError('too deep') })
  expect([model.id, model.info]).toEqual(['acme/small', undefined])
})
