import { describe } from 'vitest'
import type { FakeWire } from '../fake-provider/wires/script.ts'
import { answerTests } from './answer-tests.ts'
import { boundedAnswerTests } from './bounded-answer-tests.ts'
import { conversationTests } from './conversation-tests.ts'
import { defaultModels } from './default-models.ts'
import { embeddingTests } from './embedding-tests.ts'
import { endlessTests } from './endless-tests.ts'
import { factoryTests } from './factory-tests.ts'
import { failureTests } from './failure-tests.ts'
import { optionTests } from './option-tests.ts'
import type { MakeProvider, ModelsUnderTest } from './provider-under-test.ts'
import { quirkTests } from './quirk-tests.ts'

/**
 * Registers the vitest tests that every provider passes: each runs the provider, on its official SDK, against a server
 * with its protocol that refuses what the real server refuses. The numbers in test names (Q1 …) refer to
 * `docs/quirks.md`.
 *
 * @param wire the provider's wire: the tests of all wires and of this wire are run
 * @param makeProvider creates the provider for the server at this address, with this key and further options
 * @param models the provider's model ids; by default the ids of the wire's own provider
 * @example
 * providerContract('groq', ({ url, apiKey, options }) => groq({ baseURL: url, apiKey, ...options }))
 */
export function providerContract(
  wire: FakeWire,
  makeProvider: MakeProvider,
  models: ModelsUnderTest = defaultModels[wire],
): void {
  const subject = { wire, makeProvider, models }
  describe(`${wire} keeps the contract of a provider`, () => {
    answerTests(subject)
    conversationTests(subject)
    optionTests(subject)
    failureTests(subject)
    factoryTests(subject)
    endlessTests(subject)
    embeddingTests(subject)
    boundedAnswerTests(subject)
    quirkTests(subject)
  })
}
