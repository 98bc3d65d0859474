import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { mistral } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'mistral'

export const make: MakeProvider = ({ url, apiKey, options }) => mistral({ baseURL: url, apiKey, ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'mistral-medium-latest',
  reasoning: 'magistral-medium-latest',
  embedding: 'mistral-embed',
}
