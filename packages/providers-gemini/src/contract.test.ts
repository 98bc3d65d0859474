import { providerContract } from '@agentkit/testing/vitest'
import { gemini } from './provider.ts'

providerContract('gemini', ({ url, apiKey }) => gemini({ baseURL: url, apiKey }), {
  usual: 'gemini-2.5-flash',
  reasoning: 'gemini-3.5-flash',
  embedding: 'gemini-embedding-2',
})
