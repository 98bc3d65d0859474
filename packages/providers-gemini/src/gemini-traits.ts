import { modelTraits, type TraitTable } from '@agentkit/wire'

/** The abilities of a Gemini model. A model with an unknown name is assumed to accept what most models accept. */
export type GeminiTraits = {
  /** Calls have ids and must have signatures, results may hold images, and tools go with structured output. */
  sinceGemini3: boolean
  /** How thinking is asked for; `undefined` where it cannot be, or where the name does not say. */
  thinking: ThinkingLevels | ThinkingBudget | undefined
  /** Whether it accepts a system instruction and answers in JSON: the older Gemma models do not. */
  instructed: boolean
  /** Whether a temperature changes its answers: newer models ignore it. */
  temperature: boolean
  /** Whether it reads files at any public address; older models only those that Google hosts. */
  readsAddresses: boolean
}

export type Level = 'minimal' | 'low' | 'medium' | 'high'
/** From the least on. */
export type ThinkingLevels = { by: 'level'; levels: readonly Level[] }
/** In tokens. */
export type ThinkingBudget = { by: 'budget'; least: number }

/** @param model without `models/` */
export function geminiTraits(model: string): GeminiTraits {
  return modelTraits(model, table)
}

function levels(...levels: Level[]): Partial<GeminiTraits> {
  return { thinking: { by: 'level', levels } }
}

const table: TraitTable<GeminiTraits> = {
  version: /^gemini-(\d+)(?:\.(\d+))?\b/,
  newest: /^gemini-/,
  defaults: { sinceGemini3: false, thinking: undefined, instructed: true, temperature: true, readsAddresses: true },
  rows: [
    [{ name: /^gemma-[123]/ }, { instructed: false, readsAddresses: false }],
    [{ name: /^gemma-4/ }, levels('minimal', 'high')],
    [{ before: '2.5' }, { readsAddresses: false }],
    // A budget of 0 turns thinking off; 2.5 Pro always thinks.
    [{ since: '2.5' }, { thinking: { by: 'budget', least: 0 } }],
    [{ since: '2.5', name: /-pro/ }, { thinking: { by: 'budget', least: 128 } }],
    [{ since: '3.0' }, { sinceGemini3: true, ...levels('low', 'medium', 'high') }],
    [{ since: '3.0', before: '3.7', name: /-flash/ }, levels('minimal', 'low', 'medium', 'high')],
    [{ since: '3.0', name: /-flash-lite/ }, levels('minimal', 'low', 'medium', 'high')],
    [{ name: /^gemini-3-pro/ }, levels('low', 'high')],
    // ai.google.dev/gemini-api/docs/latest-model: sampling parameters are ignored. An alias may still be an older model.
    [{ since: '3.6', name: /^gemini-\d/ }, { temperature: false }],
    [{ name: /^gemini-3\.5-flash-lite/ }, { temperature: false }],
  ],
}
