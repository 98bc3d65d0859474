import { providerContract } from '@agentkit/testing/vitest'
import { ollama } from './provider.ts'

providerContract('ollama', ({ url, apiKey, options }) => ollama({ serverUrl: url, apiKey, ...options }), {
  usual: 'llama3.2',
  reasoning: 'qwen3:8b',
  embedding: 'nomic-embed-text',
})
