import { estimateRequest } from './estimate-tokens.ts'
import type { Model, ModelRequest } from './model.ts'

/** At most how many tokens a prompt has, by what was told of earlier ones of the run. */
export type PromptGauge = {
  estimate(model: Model, request: ModelRequest): number
  /** What a model has told of a prompt. */
  learn(model: Model, inputTokens: number): void
}

/**
 * The estimate stands, but a prompt never counts as less than what its model has told of this run before: some count
 * otherwise than anybody can know. It is not lowered by what was told, as some tell less than they were sent.
 */
export function promptGauge(): PromptGauge {
  const most = new Map<Model, number>()
  return {
    estimate: (model, request) => Math.max(estimateRequest(request, model.info), most.get(model) ?? 0),
    learn(model, inputTokens) {
      most.set(model, Math.max(inputTokens, most.get(model) ?? 0))
    },
  }
}
