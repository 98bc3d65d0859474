import type { Model } from '../../contracts/model.ts'
import type { ModelChain } from '../../policies/fallback.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { startCallSpan } from '../run/spans.ts'
import type { RunScope } from '../run/types.ts'
import { modelError } from './model-error.ts'

/** @throws AgentKitError what the model throws: its attempt has failed */
export async function loadModel(model: Model, scope: RunScope, call: { step?: number }): Promise<void> {
  const { signal } = scope
  try {
    await untilAborted(signal, Promise.resolve(model.load?.()))
  } catch (cause) {
    const error = modelError(cause, model, signal)
    startCallSpan(scope, model, call)?.end({ error })
    throw error
  }
}

/** Loads what can be loaded: a model that cannot fails when it is called. */
export async function loadAll({ models }: ModelChain, signal: AbortSignal): Promise<void> {
  await untilAborted(signal, Promise.allSettled(models.map(async (model) => model.load?.())))
}
