import type { ModelInfo } from '@agentkit/core'
import { modelFacts, modelInfoOf, modelTraits, type TraitTable } from '@agentkit/wire'
import models from './models.json' with { type: 'json' }

/** The facts about a model from the table of models and from its name. A model that is not listed works too. */
export type KnownModel = { info: ModelInfo; traits: ClaudeTraits; longestAnswer: number | undefined }

export function knownModel(id: string): KnownModel {
  const facts = modelFacts(id, models)
  const traits = claudeTraits(id)
  const longestAnswer = facts?.maxOutputTokens
  return {
    info: {
      ...modelInfoOf(facts, models),
      // A model that is not listed has the limit that its requests ask for.
      maxOutputTokens: longestAnswer ?? traits.maxOutputTokens,
      nativeOutput: traits.nativeOutput ? 'always' : 'never',
    },
    traits: facts?.temperature === false ? { ...traits, temperature: false } : traits,
    longestAnswer,
  }
}

/** The abilities of a Claude model, by its name. */
export type ClaudeTraits = {
  /** How a request asks for thinking: with an effort, with a budget of tokens, or not at all. */
  thinking: 'adaptive' | 'budget' | 'none'
  /** The setting that turns thinking off; `never` if it cannot be turned off. */
  withoutThinking: 'absent' | 'disabled' | 'between_tools' | 'never'
  /** Whether the model shows its thinking only on request. */
  hidesThinking: boolean
  /** Whether it accepts a tool choice that forces a call. */
  forcedTools: boolean
  temperature: boolean
  /** Whether it can hold an answer to a JSON Schema. */
  nativeOutput: boolean
  /** Whether it accepts its thinking only in the conversation where it thought it. */
  bindsThinking: boolean
  /** The longest answer that every model of its age gives, in tokens. */
  maxOutputTokens: number
}

/**
 * The traits of a model by its name, also in the spelling of gateways: `anthropic/claude-opus-5.5`. A Claude that is
 * newer than this table is assumed to be as strict as the newest; any other name is another server's model.
 */
function claudeTraits(model: string): ClaudeTraits {
  return modelTraits(model, table)
}

const table: TraitTable<ClaudeTraits> = {
  version: /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/,
  newest: /claude/,
  // Accepted by servers that speak like Anthropic's.
  defaults: {
    thinking: 'budget',
    withoutThinking: 'absent',
    hidesThinking: false,
    forcedTools: true,
    temperature: true,
    nativeOutput: false,
    bindsThinking: false,
    maxOutputTokens: 8_192,
  },
  rows: [
    [{ before: '3.7' }, { thinking: 'none' }],
    [{ since: '4.5' }, { nativeOutput: true, maxOutputTokens: 64_000 }],
    [{ since: '4.6' }, { thinking: 'adaptive' }],
    [{ since: '4.7' }, { hidesThinking: true, temperature: false }],
    [{ since: '4.9' }, { withoutThinking: 'disabled' }],
    [{ since: '5.1' }, { withoutThinking: 'never', forcedTools: false, bindsThinking: true }],
    [{ name: /claude-haiku/, since: '5.1', before: '5.6' }, { withoutThinking: 'disabled' }],
    [{ name: /claude-haiku/, since: '5.5', before: '5.6' }, { forcedTools: true }],
    [{ name: /claude-sonnet/, since: '5.5', before: '5.6' }, { withoutThinking: 'between_tools' }],
    [{ name: /claude-(?:fable|mythos)/ }, { withoutThinking: 'never' }],
  ],
}
