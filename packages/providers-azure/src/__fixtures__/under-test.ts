import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { azure } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'azure'

export const make: MakeProvider = ({ url, apiKey, options }) => azure({ endpoint: url, apiKey, ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'gpt-4.1',
  reasoning: 'gpt-5-mini',
  embedding: 'text-embedding-3-small',
}
