import { abortError, isAgentKitError } from '../data/errors.ts'
import { sleep } from '../util/abort.ts'
import { checkRetry, isRetryable, type RetryOptions, retryWait } from './retry.ts'

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
