import type { ModelInfo } from '@agentkit/core'
import { modelFacts, modelInfoOf, modelTraits, openaiTraits, type TraitTable } from '@agentkit/wire'
import models from './models.json' with { type: 'json' }

/**
 * The facts about a deployment's model.
 * @param model the OpenAI model, named by the user or by the deployment; an unknown model is used too
 */
export function modelInfo(model: string): ModelInfo {
  const { imageTokens } = modelTraits(model, table)
  return {
    ...modelInfoOf(modelFacts(model, models), models),
    ...(imageTokens !== undefined && { imageTokens }),
    nativeOutput: openaiTraits(model).nativeOutput ? 'always' : 'never',
  }
}

/** The most that OpenAI counts for an image; what is absent is less than core assumes. */
const table: TraitTable<{ imageTokens: number | undefined }> = {
  version: /^gpt-(\d+)(?:\.(\d+))?/,
  defaults: { imageTokens: undefined },
  rows: [
    [{ name: /^gpt-4o-mini/ }, { imageTokens: 48_169 }],
    [{ since: '5.5' }, { imageTokens: 12_000 }],
    [{ since: '5.6' }, { imageTokens: 36_000 }],
  ],
}
