import { providerContract } from '@agentkit/testing/vitest'
import { make, models, wire } from './__fixtures__/under-test.ts'
import { openai } from './provider.ts'

providerContract(
  'openai-chat',
  ({ url, apiKey, options }) => openai({ baseURL: url, apiKey, api: 'chat', ...options }),
  models,
)
providerContract(wire, make, models)
