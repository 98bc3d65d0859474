import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { openai } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'openai-responses'

export const make: MakeProvider = ({ url, apiKey, options }) =>
  openai({ baseURL: url, apiKey, api: 'responses', ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'gpt-4.1',
  reasoning: 'gpt-5.4-mini',
  embedding: 'text-embedding-3-small',
}
