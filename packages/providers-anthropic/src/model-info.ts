import type { ModelInfo } from '@agentkit/core'
import { modelFacts, modelInfoOf } from '@agentkit/wire'
import { type ClaudeTraits, claudeTraits } from './claude-traits.ts'
import models from './models.json' with { type: 'json' }

/** What is known of a model, by the table and by its name. One that is not listed is used all the same. */
export type KnownModel = { info: ModelInfo; traits: ClaudeTraits; longestAnswer: number | undefined }

export function knownModel(id: string): KnownModel {
  const facts = modelFacts(id, models)
  const traits = claudeTraits(id)
  const longestAnswer = facts?.maxOutputTokens
  return {
    info: {
      ...modelInfoOf(facts, models),
      // Of a model that is not listed, what its requests ask for.
      maxOutputTokens: longestAnswer ?? traits.maxOutputTokens,
      nativeOutput: traits.nativeOutput ? 'always' : 'never',
    },
    traits: facts?.temperature === false ? { ...traits, temperature: false } : traits,
    longestAnswer,
  }
}
