import type { FakeWire } from '@agentkit/testing'
import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { anthropic } from '../packages/providers-anthropic/src/index.ts'
import { azure } from '../packages/providers-azure/src/index.ts'
import { gemini } from '../packages/providers-gemini/src/index.ts'
import { groq } from '../packages/providers-groq/src/index.ts'
import { mistral } from '../packages/providers-mistral/src/index.ts'
import { ollama } from '../packages/providers-ollama/src/index.ts'
import { openai } from '../packages/providers-openai/src/index.ts'

/** A provider on its default wire. */
export type KnownProvider = { wire: FakeWire; make: MakeProvider; models: ModelsUnderTest & { reasoning: string } }

/** All seven, by name. */
export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  openai: {
    wire: 'openai-responses',
    make: ({ url, apiKey }) => openai({ baseURL: url, apiKey, api: 'responses' }),
    models: { usual: 'gpt-4.1', reasoning: 'gpt-5.4-mini' },
  },
  azure: {
    wire: 'azure',
    make: ({ url, apiKey }) => azure({ endpoint: url, apiKey }),
    models: { usual: 'gpt-4.1', reasoning: 'gpt-5-mini' },
  },
  anthropic: {
    wire: 'anthropic',
    make: ({ url, apiKey }) => anthropic({ baseURL: url, apiKey }),
    models: { usual: 'claude-sonnet-4-5', reasoning: 'claude-sonnet-5' },
  },
  mistral: {
    wire: 'mistral',
    make: ({ url, apiKey }) => mistral({ baseURL: url, apiKey }),
    models: { usual: 'mistral-medium-latest', reasoning: 'magistral-medium-latest' },
  },
  groq: {
    wire: 'groq',
    make: ({ url, apiKey }) => groq({ baseURL: url, apiKey }),
    models: { usual: 'meta-llama/llama-4-scout-17b-16e-instruct', reasoning: 'openai/gpt-oss-120b' },
  },
  gemini: {
    wire: 'gemini',
    make: ({ url, apiKey }) => gemini({ baseURL: url, apiKey }),
    models: { usual: 'gemini-2.5-flash', reasoning: 'gemini-3.5-flash' },
  },
  ollama: {
    wire: 'ollama',
    make: ({ url }) => ollama({ serverUrl: url }),
    models: { usual: 'qwen3-vl:8b', reasoning: 'qwen3:8b' },
  },
}
