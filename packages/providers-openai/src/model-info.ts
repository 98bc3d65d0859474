import type { ModelInfo } from '@agentkit/core'
import { type ModelTable, modelFacts, modelInfoOf, openaiTraits } from '@agentkit/wire'
import models from './models.json' with { type: 'json' }

/**
 * The facts about a model. A model that is not listed works too.
 * @param official whether the server is OpenAI's own; on another server, only models with OpenAI's names are known
 */
export function modelInfo(id: string, official: boolean): ModelInfo | undefined {
  const facts = modelFacts(id, table)
  if (!facts && !official) return undefined
  return { ...modelInfoOf(facts, table), nativeOutput: openaiTraits(id).nativeOutput ? 'always' : 'never' }
}

const table: ModelTable = models

export const knownModels: readonly string[] = Object.keys(table.models)
