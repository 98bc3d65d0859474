import type { Model } from '../../contracts/model.ts'
import type { AgentKitError } from '../../data/errors.ts'
import type { Emit } from '../../data/event.ts'
import type { Message } from '../../data/message.ts'
import { firstModel, type ModelChain } from '../../policies/fallback.ts'
import { redactedInfo } from '../../util/text/redact.ts'

/**
 * The model that a run begins or continues with. Emits a fallback that was taken earlier.
 * @param messages of the run, as far as its agent has added them: a run stays with the model that it fell back to
 */
export async function chooseModel(chain: ModelChain, messages: readonly Message[], emit: Emit): Promise<Model> {
  const last = messages.findLast(({ role }) => role === 'assistant')
  const { model, skipped } = firstModel(chain, last?.role === 'assistant' ? last.model : undefined)
  if (skipped) await emitFallback(skipped[0], model, skipped[1], emit)
  return model
}

/** Says that another model is used, and why. */
export async function emitFallback(from: Model, to: Model, error: AgentKitError, emit: Emit): Promise<void> {
  await emit({ type: 'model-fallback', from: from.id, to: to.id, error: redactedInfo(error) })
}
