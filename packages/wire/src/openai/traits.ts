import { modelTraits, type TraitTable } from '../provider/model-traits.ts'
import type { Caching } from './prompt-cache.ts'

/** The abilities of an OpenAI model. A model with an unknown name is assumed to accept everything. */
export type OpenAITraits = {
  /** Whether the model reasons; `undefined` if the name does not show it. */
  reasoning: boolean | undefined
  temperature: boolean
  stop: boolean
  parallelToolCalls: boolean
  /** Whether it can hold an answer to a JSON Schema. */
  nativeOutput: boolean
  /** The least effort it accepts. */
  leastEffort: 'none' | 'minimal' | 'low'
  /** With which efforts Chat Completions accepts function tools. */
  chatTools: 'always' | 'default-effort' | 'no-effort'
  /** How OpenAI and Azure cache its prompts. */
  caching: Caching
}

/**
 * The traits of a model by its OpenAI name, on any server.
 * @param model without the provider: `gpt-5.6-sol`, `o4-mini`, also `openai/gpt-5`, the spelling of gateways
 */
export function openaiTraits(model: string): OpenAITraits {
  return modelTraits(model.replace(/^(?:openai\/|ft:)/, ''), table)
}

const reasoning = { reasoning: true, temperature: false, stop: false } as const

const table: TraitTable<OpenAITraits> = {
  version: /^gpt-(\d+)(?:\.(\d+))?/,
  defaults: {
    reasoning: undefined,
    temperature: true,
    stop: true,
    parallelToolCalls: true,
    nativeOutput: true,
    leastEffort: 'none',
    chatTools: 'always',
    caching: 'none',
  },
  rows: [
    [{ before: '5.0' }, { reasoning: false }],
    [{ name: /^gpt-4o/ }, { caching: 'automatic' }],
    [{ since: '4.1' }, { caching: 'automatic' }],
    [{ name: /^gpt-(?:3|4$|4-)/ }, { nativeOutput: false }],
    [{ since: '5.0' }, { ...reasoning, leastEffort: 'minimal' }],
    [{ since: '5.1' }, { leastEffort: 'none' }],
    // Tools and an effort exclude each other; from 5.6 on the default is an effort.
    [{ since: '5.4' }, { chatTools: 'default-effort' }],
    [{ since: '5.6' }, { chatTools: 'no-effort', caching: 'breakpoints' }],
    // Of gpt-6 only these accept `none`.
    [{ since: '6.0' }, { leastEffort: 'low' }],
    [{ name: /^gpt-6(?:-sol|-luna|\.1-terra)(?:-|$)/ }, { leastEffort: 'none' }],
    [{ name: /^(?:gpt-5-chat|chatgpt-)/ }, { reasoning: false, temperature: true, stop: true }],
    [{ name: /^codex-/ }, reasoning],
    [{ name: /^o[1-9]/ }, { ...reasoning, parallelToolCalls: false, leastEffort: 'low', caching: 'automatic' }],
    [{ name: /^o(?:1|3-mini)(?:-|$)/ }, { stop: true }],
  ],
}
