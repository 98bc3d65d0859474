import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { acme } from '../index.ts'

/** The wire of the fake server: `fake-provider/wires` of `@agentkit/testing` has the wires of all providers. */
export const wire = 'openai-chat'

export const make: MakeProvider = ({ url, apiKey, options }) => acme({ baseURL: url, apiKey, ...options })

/** Models that this fake server knows. */
export const models: ModelsUnderTest & { reasoning: string } = {
  usual: 'gpt-4.1',
  reasoning: 'gpt-5.4-mini',
  embedding: 'text-embedding-3-small',
}
