import { providerContract } from '@agentkit/testing/vitest'
import { azure } from './provider.ts'

providerContract('azure', ({ url, apiKey, options }) => azure({ endpoint: url, apiKey, ...options }), {
  usual: 'gpt-4.1',
  reasoning: 'gpt-5-mini',
  embedding: 'text-embedding-3-small',
})
