import { providerContract } from '@agentkit/testing/vitest'
import { gemini } from './provider.ts'

providerContract('gemini', ({ url, apiKey, options }) => gemini({ baseURL: url, apiKey, ...options }), {
  usual: 'gemini-2.5-flash',
  reasoning: 'gemini-3.5-flash',
  embedding: 'gemini-embedding-2',
})
