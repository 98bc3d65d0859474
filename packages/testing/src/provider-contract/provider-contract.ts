import { describe } from 'vitest'
import type { FakeWire } from '../fake-provider/script.ts'
import { answerTests } from './answer-tests.ts'
import { conversationTests } from './conversation-tests.ts'
import { embeddingTests } from './embedding-tests.ts'
import { failureTests } from './failure-tests.ts'
import { optionTests } from './option-tests.ts'
import type { MakeProvider, ModelsUnderTest } from './provider-under-test.ts'
import { quirkTests } from './quirk-tests.ts'

/**
 * Registers the vitest tests that every provider passes: each runs the provider, on its official SDK, against a server
 * that speaks its wire and refuses what the real one refuses. The numbers in their names (Q1 …) are those of
 * `docs/quirks.md`.
 *
 * @param wire which the provider speaks: its tests are those of all wires, and its own
 * @param makeProvider makes the provider, so that it asks the server at this address with this key
 * @param models of the provider, by its own ids
 * @example
 * providerContract('groq', ({ url, apiKey }) => groq({ baseURL: url, apiKey }), {
 *   usual: 'meta-llama/llama-4-scout-17b-16e-instruct',
 *   reasoning: 'openai/gpt-oss-120b',
 *   textOnly: 'llama-3.3-70b-versatile',
 * })
 */
export function providerContract(wire: FakeWire, makeProvider: MakeProvider, models: ModelsUnderTest): void {
  const subject = { wire, makeProvider, models }
  describe(`${wire} keeps the contract of a provider`, () => {
    answerTests(subject)
    conversationTests(subject)
    optionTests(subject)
    failureTests(subject)
    embeddingTests(subject)
    quirkTests(subject)
  })
}
