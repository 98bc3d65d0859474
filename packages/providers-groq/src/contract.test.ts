import { providerContract } from '@agentkit/testing/vitest'
import { groq } from './provider.ts'

providerContract('groq', ({ url, apiKey, options }) => groq({ baseURL: url, apiKey, ...options }), {
  usual: 'meta-llama/llama-4-scout-17b-16e-instruct',
  reasoning: 'openai/gpt-oss-120b',
  textOnly: 'llama-3.3-70b-versatile',
})
