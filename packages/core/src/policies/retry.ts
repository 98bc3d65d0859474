import { type AgentKitError, abortError, isAgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { sleep } from '../util/async/abort.ts'
import { checkOptions, isAmount, isCount, type OptionRules } from '../util/options/check-options.ts'

/** How a failed model call is retried. */
export type RetryOptions = {
  /** Attempts of one call, the first one included; default 4. 1 disables retries. */
  attempts?: number
  /** The wait before the first retry is random, at most this, in milliseconds; default 500. It doubles with each retry. */
  firstWaitMs?: number
  /** The longest wait without a `retry-after`, in milliseconds; default 8,000. */
  longestWaitMs?: number
  /**
   * The longest `retry-after` of a provider that is followed, in milliseconds; default 60,000. After a longer one the call
   * is retried after `longestWaitMs`.
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

/** @throws AgentKitError `invalid-argument` for an invalid number of attempts or milliseconds */
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
  // A model may write a valid call the next time.
  return retryable || code === 'invalid-tool-call'
}

/**
 * The wait before the next attempt, in milliseconds: full jitter, or the provider's `retry-after` unless it is too long.
 *
 * @param failures the number of failed attempts, at least 1
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryWait(error: AgentKitError, failures: number, retry: Required<RetryOptions>): number {
  const { retryAfterMs, code } = error
  // The provider is not overloaded: the model wrote an invalid call.
  if (code === 'invalid-tool-call') return 0
  const jitter = Math.random() * Math.min(retry.longestWaitMs, retry.firstWaitMs * 2 ** (failures - 1))
  if (retryAfterMs === undefined || Number.isNaN(retryAfterMs)) return jitter
  // Too long to wait; the provider may recover earlier than it says, but not at once.
  if (retryAfterMs > retry.longestRetryAfterMs) return retry.longestWaitMs
  // Clients that received the same `retry-after` must not all return at the same moment.
  return retryAfterMs + jitter / 4
}

/**
 * Retries a call to a service when it fails with a temporary error, with the waits of model calls: random and growing, or
 * the `retry-after` of the service.
 *
 * @param attempt makes one attempt; an AgentKitError that is `retryable` is retried, any other error is final
 * @param signal ends the wait
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
