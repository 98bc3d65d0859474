import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { gemini } from '../index.ts'

/** The fake server that speaks its wire. */
export const wire = 'gemini'

export const make: MakeProvider = ({ url, apiKey, options }) => gemini({ baseURL: url, apiKey, ...options })

export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'gemini-2.5-flash',
  reasoning: 'gemini-3.5-flash',
  embedding: 'gemini-embedding-2',
}
