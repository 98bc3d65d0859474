import { providerContract } from '@agentkit/testing/vitest'
import { describe } from 'vitest'
import { make, wire } from './__fixtures__/under-test.ts'

// Each generation refuses what another one wants.
describe.each([
  { usual: 'claude-haiku-4-5', reasoning: 'claude-sonnet-5-5' },
  { usual: 'claude-opus-5-5', reasoning: 'claude-sonnet-4-5' },
  { usual: 'claude-sonnet-5', reasoning: 'claude-opus-4-8' },
  { usual: 'claude-opus-4-6', reasoning: 'claude-fable-5-1' },
])('with $usual and $reasoning', (models) => {
  providerContract(wire, make, models)
})
