import { providerContract } from '@agentkit/testing/vitest'
import { mistral } from './provider.ts'

providerContract('mistral', ({ url, apiKey, options }) => mistral({ baseURL: url, apiKey, ...options }), {
  usual: 'mistral-medium-latest',
  reasoning: 'magistral-medium-latest',
  embedding: 'mistral-embed',
})
