import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { anthropic } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'anthropic'

export const make: MakeProvider = ({ url, apiKey, options }) => anthropic({ baseURL: url, apiKey, ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'claude-sonnet-4-5',
  reasoning: 'claude-sonnet-5',
}
