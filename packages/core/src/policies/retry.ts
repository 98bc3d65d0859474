import { type AgentKitError, abortError, isAgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { sleep } from '../util/abort.ts'
import { checkOptions, isAmount, isCount, type OptionRules } from '../util/check-options.ts'

/** How a model call that fails is tried again. */
export type RetryOptions = {
  /** Attempts of one call, the first one included; default 4. 1 never retries. */
  attempts?: number
  /** The wait before the first retry is random up to this, in milliseconds; default 500. Each further one doubles it. */
  firstWaitMs?: number
  /** The longest wait of our own, in milliseconds; default 8,000. */
  longestWaitMs?: number
  /**
   * The longest wait that a provider's `retry-after` may ask for, in milliseconds; default 60,000. One that asks for
   * more is asked again after `longestWaitMs`.
   */
  longestRetryAfterMs?: number
}

const defaults: Required<RetryOptions> = {
  attempts: limits.retryAttempts,
  firstWaitMs: limits.firstRetryMs,
  longestWaitMs: limits.longestRetryMs,
  longestRetryAfterMs: limits.longestRetryAfterMs,
}

const rules = {
  attempts: isCount,
  firstWaitMs: isAmount,
  longestWaitMs: isAmount,
  longestRetryAfterMs: isAmount,
} satisfies OptionRules<RetryOptions>

/** @throws AgentKitError `invalid-argument` for what is no number of attempts or milliseconds */
export function checkRetry(options: RetryOptions = {}): Required<RetryOptions> {
  checkOptions(options, rules, { of: 'retry', example: '{ attempts: 2 }' })
  const retry = { ...defaults }
  for (const name of Object.keys(rules) as (keyof RetryOptions)[]) {
    retry[name] = Math.min(options[name] ?? defaults[name], limits.longestTimerMs)
  }
  return retry
}

/** Whether the same request may succeed when it is sent again. */
export function isRetryable({ retryable, code }: AgentKitError): boolean {
  // What a model wrote badly it may write well the next time.
  return retryable || code === 'invalid-tool-call'
}

/**
 * How long to wait before the next attempt, in milliseconds: full jitter, or what the provider asks for where that is
 * not too long.
 *
 * @param failures attempts that have failed, from 1 on
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryWait(error: AgentKitError, failures: number, retry: Required<RetryOptions>): number {
  const { retryAfterMs, code } = error
  // Nobody has too much to do: what was written is wrong.
  if (code === 'invalid-tool-call') return 0
  const jitter = Math.random() * Math.min(retry.longestWaitMs, retry.firstWaitMs * 2 ** (failures - 1))
  if (retryAfterMs === undefined || Number.isNaN(retryAfterMs)) return jitter
  // Nobody waits for so long; it may pass earlier than the provider says, but not at once.
  if (retryAfterMs > retry.longestRetryAfterMs) return retry.longestWaitMs
  // Everybody who was told the same moment must not come at it together.
  return retryAfterMs + jitter / 4
}

/**
 * Tries a call to a service again when it failed in a way that may pass, with the waits of a model's calls: random and
 * growing, or what the service asks for.
 *
 * @param attempt one try; an AgentKitError that is `retryable` is tried again, anything else is final
 * @param signal ends the waiting
 * @param retry attempts and waits in milliseconds; by default 4 attempts
 * @returns what the first successful attempt returned
 * @throws what the last attempt threw; `aborted` or `timeout` when the signal ended it
 * @example
 * const vectors = await withRetries(() => embedder.embed(texts, signal, 'document'), signal)
 */
export async function withRetries<Value>(
  attempt: () => Promise<Value>,
  signal: AbortSignal,
  retry?: RetryOptions,
): Promise<Value> {
  const settings = checkRetry(retry)
  for (let failures = 1; ; failures++) {
    if (signal.aborted) throw abortError(signal)
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      if (!isAgentKitError(error) || !isRetryable(error) || failures >= settings.attempts) throw error
      await sleep(retryWait(error, failures, settings), signal)
    }
  }
}
