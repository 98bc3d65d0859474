import type { Model, ModelRequest } from '../contracts/model.ts'
import { AgentKitError, abortError, isAgentKitError, toErrorInfo } from '../data/errors.ts'
import type { Emit } from '../data/event.ts'
import { limits } from '../limits.ts'
import { firstModel, lastResort, type ModelChain, nextModel, noteFailure, noteSuccess } from '../policies/fallback.ts'
import type { Ledger, Reservation } from '../policies/ledger.ts'
import { isRetryable, retryWait } from '../policies/retry.ts'
import { currentRun } from '../runs/current-run.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { sleep, untilAborted } from '../util/abort.ts'
import { callModel, modelError } from './call-model.ts'
import { usageOfFailure, usageOfReply } from './call-usage.ts'
import type { Asker } from './types.ts'

/** One step's question to a model, whichever it will be. */
export type Question = {
  /** Absent: nobody is told of it, such as a summary. */
  step?: number
  emit: Emit
  requestFor(model: Model): Promise<ModelRequest>
  /** After the model found the request too long: whether it is shorter now. */
  makeRoom?(model: Model): Promise<boolean>
  /** Each attempt has a reply of its own, which grows while the model speaks; those before it are forgotten. */
  begin?(reply: Reply): void
}

/** The model that a run begins with. A fallback that was taken earlier is told. */
export async function chooseModel(chain: ModelChain, emit: Emit): Promise<Model> {
  const { model, skipped } = firstModel(chain)
  if (skipped) await tellFallback(skipped[0], model, skipped[1], emit)
  return model
}

/**
 * Asks a model until it answers: tries again what may pass, goes on to the next model of the chain, makes room when
 * the conversation is too long. Finished steps stay as they are; listeners hear that this one begins again.
 *
 * @throws AgentKitError what the last attempt failed in; `budget` when the next one could pass it
 */
export async function askModel(asker: Asker, question: Question): Promise<Reply> {
  const { chain, signal } = asker
  const tried = new Set<Model>()
  let { model } = asker
  let failures = 0
  let madeRoom = false
  let last: AgentKitError | undefined
  for (;;) {
    const reply = emptyReply()
    const failure = await attempt(asker, model, question, reply).catch((stop) => {
      throw last ? becauseOf(stop, last) : stop
    })
    if (!failure) {
      noteSuccess(chain, model)
      return reply
    }
    const { error, isModels } = failure
    failures++
    last = error
    if (error.code === 'context-overflow') await knowAll(chain, signal)
    const next = nextModel(chain, model, error, tried)
    const wait = waitBeforeRetry(asker, error, failures, next !== undefined)
    if (wait !== undefined) {
      await restart(asker, question, error)
      await sleep(wait, signal)
      continue
    }
    tried.add(model)
    noteFailure(chain, model, error)
    const other = next ?? lastResort(chain, model, error, tried)
    if (other) {
      // Which model makes a summary is nobody's concern: the steps find out by themselves.
      if (question.step !== undefined) {
        asker.model = other
        await tellFallback(model, other, error, asker.emit)
      }
      model = other
      failures = 0
    } else {
      // What core itself found too long has been made as short as it gets.
      const mayMakeRoom = error.code === 'context-overflow' && isModels && !madeRoom
      if (!mayMakeRoom || !(await question.makeRoom?.(model))) throw error
      madeRoom = true
    }
    await restart(asker, question, error)
  }
}

/** A budget that ends between two attempts must not hide why there were two. */
function becauseOf(stop: unknown, last: AgentKitError): unknown {
  if (!isAgentKitError(stop) || stop.code !== 'budget') return stop
  return new AgentKitError('budget', `${stop.message} The last attempt failed: ${last.message}`, { cause: last })
}

/**
 * One attempt of one model, which fills the reply.
 * @returns why it failed, where that says something of the model; all else is thrown
 */
async function attempt(
  asker: Asker,
  model: Model,
  question: Question,
  reply: Reply,
): Promise<{ error: AgentKitError; isModels: boolean } | undefined> {
  const { signal, ledger } = asker
  // Hooks, the session's store and the budget may fail too: no other model does better there.
  let isModels = true
  try {
    if (model.load) await load(model, signal)
    isModels = false
    const request = await question.requestFor(model)
    if (signal.aborted) throw abortError(signal)
    for (let free = freed(ledger, model, request); free; free = freed(ledger, model, request)) {
      await untilAborted(signal, free)
    }
    const reservation = ledger.reserve(model, request)
    isModels = true
    question.begin?.(reply)
    await call(asker, model, request, reservation, question.emit, reply)
    return undefined
  } catch (error) {
    if (signal.aborted || !isAgentKitError(error)) throw error
    if (!isModels && error.code !== 'context-overflow') throw error
    return { error, isModels }
  }
}

/** Something to wait for beside other calls of the same budget: not within such a call, which would wait for itself. */
function freed(ledger: Ledger, model: Model, request: ModelRequest): Promise<void> | undefined {
  return currentRun.getStore()?.isInModelCall ? undefined : ledger.freed(model, request)
}

async function load(model: Model, signal: AbortSignal): Promise<void> {
  try {
    await untilAborted(signal, Promise.resolve(model.load?.()))
  } catch (error) {
    throw modelError(error, model, signal)
  }
}

async function call(
  { signal, modelTimeoutMs }: Asker,
  model: Model,
  request: ModelRequest,
  { maxOutputTokens, lowered, settle }: Reservation,
  emit: Emit,
  reply: Reply,
): Promise<void> {
  const bounded = maxOutputTokens === undefined ? request : { ...request, maxOutputTokens }
  const bounds = { silenceMs: model.eventTimeoutMs ?? modelTimeoutMs, answerTokens: maxOutputTokens }
  reply.lowered = lowered
  try {
    await inModelCall(() => callModel(model, bounded, signal, emit, reply, bounds))
    reply.usage = usageOfReply(reply, request, model)
  } catch (error) {
    reply.usage = usageOfFailure(error, reply, request, model, signal)
    throw error
  } finally {
    settle(reply.usage)
  }
}

/** An agent that is a model of another one finds out here that its ledger has this call set aside. */
function inModelCall<Value>(work: () => Value): Value {
  const current = currentRun.getStore()
  return current ? currentRun.run({ ...current, isInModelCall: true }, work) : work()
}

/** @returns milliseconds; `undefined` when this model is not asked again */
function waitBeforeRetry(
  { retry }: Asker,
  error: AgentKitError,
  failures: number,
  hasNext: boolean,
): number | undefined {
  if (!isRetryable(error)) return undefined
  const attempts = hasNext ? Math.min(retry.attempts, limits.attemptsBeforeFallback) : retry.attempts
  if (failures >= attempts) return undefined
  const wait = retryWait(error, failures, retry)
  return hasNext && wait > limits.longestWaitBeforeFallbackMs ? undefined : wait
}

/** What is known of each model may come late; it tells which one has more room. */
async function knowAll({ models }: ModelChain, signal: AbortSignal): Promise<void> {
  await untilAborted(signal, Promise.allSettled(models.map(async (model) => model.load?.())))
}

/** What the failed attempt said is nobody's answer, also when the run ends before the next one begins. */
async function restart({ emit }: Asker, question: Question, error: AgentKitError): Promise<void> {
  const { step } = question
  question.begin?.(emptyReply())
  if (step !== undefined) await emit({ type: 'step-restart', step, error: toErrorInfo(error) })
}

async function tellFallback(from: Model, to: Model, error: AgentKitError, emit: Emit): Promise<void> {
  await emit({ type: 'model-fallback', from: from.id, to: to.id, error: toErrorInfo(error) })
}
