import type { Model } from '../contracts/model.ts'
import type { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { isRetryable } from './retry.ts'

/** The models of an agent in order of preference, with their circuit breakers. All runs of the agent share it. */
export type ModelChain = { models: readonly Model[]; breakers: Map<Model, Breaker> }

/** How often a model has failed in a row, and until when it is skipped. */
type Breaker = { failures: number; skippedUntil: number; error: AgentKitError }

export function modelChain(models: readonly Model[]): ModelChain {
  return { models, breakers: new Map() }
}

/**
 * The first model of a run, or of its continuation: the one that has answered last, else the first that is not skipped.
 * @param answered the id of the model that has answered the run's last step
 * @returns with `skipped`, the preferred model and its last error, when another one is used
 */
export function firstModel(
  { models, breakers }: ModelChain,
  answered?: string,
): { model: Model; skipped?: [Model, AgentKitError] } {
  // An agent has at least one model.
  const preferred = models[0] as Model
  if (models.length === 1) return { model: preferred }
  const kept = models.find(({ id }) => id === answered)
  if (kept && isAvailable(breakers, kept)) return { model: kept }
  const model = models.find((candidate) => isAvailable(breakers, candidate)) ?? preferred
  const breaker = breakers.get(preferred)
  return model === preferred || !breaker ? { model } : { model, skipped: [preferred, breaker.error] }
}

/**
 * The fallbacks for a failed model, if another one may succeed: of the chain, after the last the first, those that were
 * not tried in this step.
 * @returns `next`, the first that is not skipped, and `lastResort`, which is tried before the run fails
 */
export function fallbacksFor(
  { models, breakers }: ModelChain,
  failed: Model,
  error: AgentKitError,
  tried: ReadonlySet<Model>,
): { next: Model | undefined; lastResort: Model | undefined } {
  if (models.length === 1 || !mayFallBack(error)) return { next: undefined, lastResort: undefined }
  const start = models.indexOf(failed)
  const others = [...models.slice(start + 1), ...models.slice(0, start)]
  const usable = others.filter((model) => {
    return !tried.has(model) && (!isOfWindow(error) || hasMoreRoom(model, failed))
  })
  return { next: usable.find((model) => isAvailable(breakers, model)), lastResort: usable[0] }
}

/** Closes the breaker of a model whose step has succeeded. */
export function noteSuccess({ breakers }: ModelChain, model: Model): void {
  if (breakers.size > 0) breakers.delete(model)
}

/** Counts a step of a model in which all attempts have failed. */
export function noteFailure({ models, breakers }: ModelChain, model: Model, error: AgentKitError): void {
  // An invalid request is no failure of the model.
  if (models.length === 1 || !mayFallBack(error) || error.code === 'context-overflow') return
  const failures = (breakers.get(model)?.failures ?? 0) + 1
  const skippedUntil = failures >= limits.breakerFailures ? performance.now() + limits.breakerMs : 0
  breakers.set(model, { failures, skippedUntil, error })
}

function isAvailable(breakers: ModelChain['breakers'], model: Model): boolean {
  const breaker = breakers.get(model)
  return breaker === undefined || performance.now() >= breaker.skippedUntil
}

/** Errors that lead to a fallback even when they are not retryable with the same model. */
const fallbackCodes: readonly string[] = ['model-not-found', 'quota', 'context-overflow', 'rate-limit', 'overloaded']

/** Whether another model may succeed: this one is down, removed, out of quota, or has too small a context window. */
function mayFallBack(error: AgentKitError): boolean {
  return isRetryable(error) || fallbackCodes.includes(error.code)
}

/** Whether the request exceeds the window of the model, rather than what the account may send in a minute. */
function isOfWindow({ code, status }: AgentKitError): boolean {
  return code === 'context-overflow' && status !== 429
}

function hasMoreRoom(model: Model, than: Model): boolean {
  return (model.info?.contextWindow ?? 0) > (than.info?.contextWindow ?? Number.POSITIVE_INFINITY)
}
