import type { AgentKitError } from '@agentkit/core'

/**
 * The failure of a run as the AI SDK understands it: an `APICallError`, which it recognizes by marks and not by its class,
 * so that none of its packages is needed here.
 */
export class AgentCallError extends Error {
  override readonly name = 'AI_APICallError'
  readonly url: string
  readonly requestBodyValues: object = {}
  readonly statusCode: number | undefined
  readonly responseHeaders: Record<string, string> | undefined
  readonly responseBody: undefined
  /** Whether the AI SDK may make the call again. */
  readonly isRetryable: boolean
  readonly data: { code: string; runId?: string }

  constructor(error: AgentKitError, agentId: string, isRetryable: boolean) {
    super(error.message, { cause: error })
    for (const mark of marks) Object.defineProperty(this, Symbol.for(mark), { value: true })
    const { code, runId, status, retryAfterMs } = error
    this.url = `agentkit:${agentId}`
    this.statusCode = status
    this.responseHeaders = retryAfterMs === undefined ? undefined : { 'retry-after-ms': String(retryAfterMs) }
    this.isRetryable = isRetryable
    this.data = { code, ...(runId !== undefined && { runId }) }
  }
}

const marks = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError']

/** @param canRepeat whether nothing has happened yet that another run would repeat */
export function toCallError(error: AgentKitError, agentId: string, canRepeat = true): AgentCallError {
  return new AgentCallError(error, agentId, canRepeat && error.retryable)
}
