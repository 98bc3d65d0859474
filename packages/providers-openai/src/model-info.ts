import type { ModelInfo } from '@agentkit/core'
import { type ModelTable, modelFacts, modelInfoOf, openaiTraits } from '@agentkit/wire'
import models from './models.json' with { type: 'json' }

/**
 * What is known of a model. One that is not listed is used all the same.
 * @param official whether OpenAI's own server is asked; of another one's only models of OpenAI's names are known
 */
export function modelInfo(id: string, official: boolean): ModelInfo | undefined {
  const facts = modelFacts(id, table)
  if (!facts && !official) return undefined
  return { ...modelInfoOf(facts, table), nativeOutput: openaiTraits(id).nativeOutput ? 'always' : 'never' }
}

const table: ModelTable = models
