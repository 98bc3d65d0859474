import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { ollama } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'ollama'

export const make: MakeProvider = ({ url, apiKey, options }) => ollama({ serverUrl: url, apiKey, ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'qwen3-vl:8b',
  reasoning: 'qwen3:8b',
  embedding: 'nomic-embed-text',
}
