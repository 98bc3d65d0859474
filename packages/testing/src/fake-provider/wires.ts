import { anthropic } from './wires/anthropic/anthropic.ts'
import { azure } from './wires/azure/azure.ts'
import { gemini } from './wires/gemini/gemini.ts'
import { groq } from './wires/groq/groq.ts'
import { mistral } from './wires/mistral/mistral.ts'
import { ollama } from './wires/ollama/ollama.ts'
import { openAI } from './wires/openai/openai.ts'
import type { FakeWire } from './wires/script.ts'
import type { WireSpec } from './wires/wire-spec.ts'

/** The server of each provider. */
export const wires: Record<FakeWire, WireSpec> = {
  'openai-chat': openAI,
  'openai-responses': openAI,
  azure,
  anthropic,
  mistral,
  groq,
  gemini,
  ollama,
}
