import { AgentKitError } from '@agentkit/core'

/**
 * Calls Pinecone, with all retries, for a limited time.
 * @throws AgentKitError `timeout` that names Pinecone, and what `work` throws
 */
export async function within<Value>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = new AbortController()
  const timer = setTimeout(() => {
    const message = `Pinecone did not answer within ${milliseconds / 1000} seconds.`
    late.abort(new AgentKitError('timeout', message, { provider: 'pinecone' }))
  }, milliseconds)
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}
