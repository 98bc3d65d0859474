import type { Approval, RunResult } from '@agentkit/core'

/** The text of the answer alone. */
export function textAnswer(result: RunResult): Response {
  return new Response(result.text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}

/** The answer with the data of its run, in snake_case. */
export function jsonAnswer(result: RunResult, { userId, sessionId }: { userId: string; sessionId: string }): Response {
  const body = {
    answer: result.text,
    user_id: userId,
    session_id: sessionId,
    run_id: result.runId,
    finish_reason: result.finishReason,
    usage: snakeCaseKeys(result.usage),
    cost: result.cost?.usd ?? null,
    sources: result.sources.map(snakeCaseKeys),
    approvals: result.approvals.map(approvalBody),
  }
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}

/** An approval, whose absent values are null. */
export function approvalBody({ approvalId, callId, name, input, kind, path, startedAt }: Approval): object {
  const ids = { approval_id: approvalId, call_id: callId }
  return { ...ids, name, input: input ?? null, kind, path: path ?? null, started_at: startedAt ?? null }
}

export function snakeCaseKeys(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [snakeCase(key), value]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
