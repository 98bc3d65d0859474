import { providerContract } from '@agentkit/testing/vitest'
import { openai } from './provider.ts'

const models = {
  usual: 'gpt-4.1',
  reasoning: 'gpt-5.4-mini',
  embedding: 'text-embedding-3-small',
}

providerContract(
  'openai-chat',
  ({ url, apiKey, options }) => openai({ baseURL: url, apiKey, api: 'chat', ...options }),
  models,
)
providerContract(
  'openai-responses',
  ({ url, apiKey, options }) => openai({ baseURL: url, apiKey, api: 'responses', ...options }),
  models,
)
