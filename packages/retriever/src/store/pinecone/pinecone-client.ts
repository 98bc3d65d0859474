import { AgentKitError, type RetryOptions, withRetries } from '@agentkit/core'
import { messageOf, systemCode } from '@agentkit/core/internal'
import type { Pinecone } from '@pinecone-database/pinecone'
import { toPineconeError } from './pinecone-error.ts'
import { pineconeFetch } from './pinecone-fetch.ts'

/** Pinecone's SDK with signals, retries and AgentKitErrors. */
export interface PineconeClient {
  /**
   * Sends a request, with retries of transient failures.
   * @throws AgentKitError for any failure
   */
  call<Value>(
    signal: AbortSignal,
    request: (pinecone: Pinecone) => Promise<Value>,
    retry?: RetryOptions,
  ): Promise<Value>
}

export type PineconeClientOptions = {
  apiKey: string
  controllerHostUrl?: string
  /** Used by calls without a signal of their own. */
  retry?: RetryOptions
  /** The timeout of a request in milliseconds; default 60,000. */
  timeoutMs?: number
}

/** The SDK is loaded with the first call. */
export function createPineconeClient(options: PineconeClientOptions): PineconeClient {
  const { apiKey, controllerHostUrl, retry: usual = { attempts: 6 }, timeoutMs = 60_000 } = options
  return {
    async call(signal, request, retry = usual) {
      const { Pinecone } = await loadPinecone()
      // One client per call, because the signal is part of the client; creating one takes less than a millisecond.
      const pinecone = new Pinecone({
        apiKey,
        ...(controllerHostUrl && { controllerHostUrl }),
        fetchApi: pineconeFetch(signal, { apiKey, timeoutMs }),
      })
      const attempt = async () => {
        try {
          return await request(pinecone)
        } catch (error) {
          throw toPineconeError(error, apiKey)
        }
      }
      return withRetries(attempt, signal, retry)
    },
  }
}

/** @throws AgentKitError `missing-package` */
export async function loadPinecone(
  load?: () => Promise<typeof import('@pinecone-database/pinecone')>,
): Promise<typeof import('@pinecone-database/pinecone')> {
  try {
    // `await import()` of a name, within `try`: a bundler takes the SDK if it is installed, and otherwise does without.
    return load ? await load() : await import('@pinecone-database/pinecone')
  } catch (error) {
    const isAbsent = systemCode(error) === 'ERR_MODULE_NOT_FOUND'
    const problem = isAbsent ? 'is not installed' : `cannot be loaded (${messageOf(error)})`
    const message = `The package of Pinecone ${problem}. Install it: npm i @pinecone-database/pinecone`
    throw new AgentKitError('missing-package', message, { cause: error })
  }
}
