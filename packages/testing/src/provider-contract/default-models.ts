import type { FakeWire } from '../fake-provider/wires/script.ts'
import type { ModelsUnderTest } from './provider-under-test.ts'

/** Models that each wire's own provider has, and that its fake server knows. */
export const defaultModels: Readonly<Record<FakeWire, ModelsUnderTest>> = {
  'openai-chat': { usual: 'gpt-4.1', reasoning: 'gpt-5.4-mini', embedding: 'text-embedding-3-small' },
  'openai-responses': { usual: 'gpt-4.1', reasoning: 'gpt-5.4-mini', embedding: 'text-embedding-3-small' },
  azure: { usual: 'gpt-4.1', reasoning: 'gpt-5-mini', embedding: 'text-embedding-3-small' },
  anthropic: { usual: 'claude-sonnet-4-5', reasoning: 'claude-sonnet-5' },
  mistral: { usual: 'mistral-medium-latest', reasoning: 'magistral-medium-latest', embedding: 'mistral-embed' },
  groq: {
    usual: 'meta-llama/llama-4-scout-17b-16e-instruct',
    reasoning: 'openai/gpt-oss-120b',
    textOnly: 'llama-3.3-70b-versatile',
  },
  gemini: { usual: 'gemini-2.5-flash', reasoning: 'gemini-3.5-flash', embedding: 'gemini-embedding-2' },
  ollama: { usual: 'qwen3-vl:8b', reasoning: 'qwen3:8b', embedding: 'nomic-embed-text' },
}
