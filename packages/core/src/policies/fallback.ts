import type { Model } from '../contracts/model.ts'
import type { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { isRetryable } from './retry.ts'

/** The models of an agent in the order of preference, and how each has been doing. One for all runs of the agent. */
export type ModelChain = { models: readonly Model[]; breakers: Map<Model, Breaker> }

/** How often a model has failed in a row, and until when it is left alone for that. */
type Breaker = { failures: number; skippedUntil: number; error: AgentKitError }

export function modelChain(models: readonly Model[]): ModelChain {
  return { models, breakers: new Map() }
}

/**
 * The model that a run begins with: the first that is not left alone.
 * @returns with `skipped`, the preferred one and why it is not asked
 */
export function firstModel({ models, breakers }: ModelChain): { model: Model; skipped?: [Model, AgentKitError] } {
  // An agent has at least one model.
  const preferred = models[0] as Model
  if (models.length === 1) return { model: preferred }
  const model = models.find((candidate) => isAvailable(breakers, candidate)) ?? preferred
  const breaker = breakers.get(preferred)
  return model === preferred || !breaker ? { model } : { model, skipped: [preferred, breaker.error] }
}

/**
 * The model that takes over from one that failed, if another one may do better: the next of the chain, and after the
 * last the first, that was not tried in this step and is not left alone.
 */
export function nextModel(
  chain: ModelChain,
  failed: Model,
  error: AgentKitError,
  tried: ReadonlySet<Model>,
): Model | undefined {
  return othersThan(chain, failed, error, tried).find((model) => isAvailable(chain.breakers, model))
}

/** The same among models that are left alone: before the run gives up, they are asked all the same. */
export function lastResort(
  chain: ModelChain,
  failed: Model,
  error: AgentKitError,
  tried: ReadonlySet<Model>,
): Model | undefined {
  return othersThan(chain, failed, error, tried)[0]
}

function othersThan(
  { models }: ModelChain,
  failed: Model,
  error: AgentKitError,
  tried: ReadonlySet<Model>,
): readonly Model[] {
  if (models.length === 1 || !mayFallBack(error)) return []
  const start = models.indexOf(failed)
  const others = [...models.slice(start + 1), ...models.slice(0, start)]
  return others.filter((model) => {
    return !tried.has(model) && (error.code !== 'context-overflow' || hasMoreRoom(model, failed))
  })
}

/** A step of this model has succeeded: its failures are forgotten. */
export function noteSuccess({ breakers }: ModelChain, model: Model): void {
  if (breakers.size > 0) breakers.delete(model)
}

/** A step of this model has failed, all its attempts. */
export function noteFailure({ models, breakers }: ModelChain, model: Model, error: AgentKitError): void {
  // What is wrong with a request says nothing of the model.
  if (models.length === 1 || !mayFallBack(error) || error.code === 'context-overflow') return
  const failures = (breakers.get(model)?.failures ?? 0) + 1
  const skippedUntil = failures >= limits.breakerFailures ? performance.now() + limits.breakerMs : 0
  breakers.set(model, { failures, skippedUntil, error })
}

function isAvailable(breakers: ModelChain['breakers'], model: Model): boolean {
  const breaker = breakers.get(model)
  return breaker === undefined || performance.now() >= breaker.skippedUntil
}

/** Beside what may be retried. Of the last two a provider may say that it is of no use to try again: with that one. */
const fallbackCodes: readonly string[] = ['model-not-found', 'quota', 'context-overflow', 'rate-limit', 'overloaded']

/** Another model may do what this one cannot: it is down, gone, out of quota, or has too little room. */
function mayFallBack(error: AgentKitError): boolean {
  return isRetryable(error) || fallbackCodes.includes(error.code)
}

function hasMoreRoom(model: Model, than: Model): boolean {
  return (model.info?.contextWindow ?? 0) > (than.info?.contextWindow ?? Number.POSITIVE_INFINITY)
}
