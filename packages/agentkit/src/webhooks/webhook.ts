import { AgentKitError, type RunNotice } from '@agentkit/core'
import { signature } from './signature.ts'

/** How long a webhook may take to answer. */
const answerMs = 15_000

export type WebhookOptions = {
  url: URL
  /** The key of the signature. */
  key: Uint8Array
  /** Milliseconds since 1970. */
  now?: () => number
}

/**
 * Sends notices of runs that have ended or wait as Standard Webhooks: a signed POST with ids and status only. The caller
 * tries again what throws.
 *
 * @throws AgentKitError `network` or `timeout` when it is not answered by 2xx; redirects are not followed
 */
export function webhook({ url, key, now = Date.now }: WebhookOptions): (notice: RunNotice) => Promise<void> {
  return async (notice) => {
    const body = JSON.stringify(bodyOf(notice))
    const id = notice.noticeId
    const seconds = Math.floor(now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'agentkit',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': await signature(key, `${id}.${seconds}.${body}`),
    }
    const signal = AbortSignal.timeout(answerMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).catch((cause) => {
      throw unanswered(url, cause, signal.aborted)
    })
    // Nothing of the answer is used, however long it is.
    await response.body?.cancel()
    if (!response.ok) throw new AgentKitError('network', `${nameOf(url)} answered ${response.status}.`)
  }
}

function bodyOf({ createdAt, record }: RunNotice): object {
  const { runId, agentId, userId, sessionId, status } = record
  return {
    type: `run.${status}`,
    timestamp: new Date(createdAt).toISOString(),
    data: { run_id: runId, agent_id: agentId, user_id: userId, session_id: sessionId ?? null, status },
  }
}

function unanswered(url: URL, cause: unknown, isLate: boolean): AgentKitError {
  if (isLate)
    return new AgentKitError('timeout', `${nameOf(url)} did not answer within ${answerMs / 1000} s.`, { cause })
  return new AgentKitError('network', `${nameOf(url)} cannot be reached${codeOf(cause)}.`, { cause })
}

/** Such as ` (ECONNREFUSED)`, which the error of `fetch` itself does not say. */
function codeOf(cause: unknown): string {
  const inner = cause instanceof Error ? cause.cause : undefined
  return inner instanceof Error && 'code' in inner ? ` (${inner.code})` : ''
}

/** The path and the query of a webhook may hold a secret. */
function nameOf({ origin }: URL): string {
  return `The webhook at ${origin}`
}
