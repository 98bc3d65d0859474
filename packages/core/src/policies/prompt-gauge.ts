import type { Model, ModelRequest } from '../contracts/model.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'

/** At most how many tokens a prompt has, by what was told of earlier ones of the run. */
export type PromptGauge = {
  estimate(model: Model, request: ModelRequest): number
  /** What a model has told of a prompt. */
  learn(model: Model, request: ModelRequest, inputTokens: number): void
}

/**
 * By how much a model has told more than was estimated, it may tell more again: some count otherwise than anybody can
 * know. The estimate is not lowered by what was told, as some tell less than they were sent.
 */
export function promptGauge(): PromptGauge {
  const more = new Map<Model, number>()
  return {
    estimate: (model, request) => estimateRequest(request, model.info) + (more.get(model) ?? 0),
    learn(model, request, inputTokens) {
      const beyond = inputTokens - estimateRequest(request, model.info)
      if (beyond > (more.get(model) ?? 0)) more.set(model, beyond)
    },
  }
}
