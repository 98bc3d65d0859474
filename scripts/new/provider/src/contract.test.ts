import { providerContract } from '@agentkit/testing/vitest'
import { make, models, wire } from './__fixtures__/under-test.ts'

providerContract(wire, make, models)
