import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { groq } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'groq'

export const make: MakeProvider = ({ url, apiKey, options }) => groq({ baseURL: url, apiKey, ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'meta-llama/llama-4-scout-17b-16e-instruct',
  reasoning: 'openai/gpt-oss-120b',
  textOnly: 'llama-3.3-70b-versatile',
}
