import { providerContract } from '@agentkit/testing/vitest'
import { ollama } from './provider.ts'

providerContract('ollama', ({ url, apiKey }) => ollama({ serverUrl: url, apiKey }), {
  usual: 'llama3.2',
  reasoning: 'qwen3:8b',
  embedding: 'nomic-embed-text',
})
