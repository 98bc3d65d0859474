import { providerContract } from '@agentkit/testing/vitest'
import { mistral } from './provider.ts'

providerContract('mistral', ({ url, apiKey }) => mistral({ baseURL: url, apiKey }), {
  usual: 'mistral-medium-latest',
  reasoning: 'magistral-medium-latest',
  embedding: 'mistral-embed',
})
