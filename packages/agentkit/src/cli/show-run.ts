import type { RunRecord, StoredRun, UndeliveredNotice } from '@agentkit/core'
import { firstChars } from '@agentkit/core/internal'

/** A stored run in lines of text. */
export function runLines({ record, approvals }: StoredRun, notices: readonly UndeliveredNotice[]): string[] {
  const { error, usage, cost, agentVersion } = record
  // Of a run that no model has answered, neither is known.
  const { inputTokens, outputTokens, totalTokens } = usage ?? {}
  const isMeasured = (inputTokens ?? outputTokens ?? totalTokens) !== undefined
  const rows: [string, string | undefined][] = [
    ['run', record.runId],
    ['agent', agentVersion === undefined ? record.agentId : `${record.agentId}, version ${agentVersion}`],
    ['user', record.userId],
    ['session', record.sessionId],
    ['status', statusOf(record)],
    ['error', error && `${error.code}: ${error.message}`],
    ['attempts', String(record.attempts)],
    ['created', record.createdAt],
    ['started', record.startedAt],
    ['ended', record.endedAt],
    ['tokens', isMeasured ? `${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out` : undefined],
    [
      'cost',
      cost && (isMeasured || cost.usd > 0)
        ? `${Number(cost.usd.toPrecision(6))} USD${cost.estimated ? ' (estimated)' : ''}`
        : undefined,
    ],
  ]
  const open = approvals.filter(({ decision }) => decision === undefined)
  return [
    ...rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name.padEnd(9)} ${value}`])),
    ...(record.status === 'waiting' ? open : []).map(
      ({ approvalId, kind, name, input }) =>
        `waits for ${approvalId} (${kind}): ${name} ${cut(JSON.stringify(input) ?? '')}`,
    ),
    ...notices.map(noticeLine),
  ]
}

/** A stored run as a row of a table. */
export function runRow({ runId, agentId, userId, sessionId, ...record }: RunRecord): string[] {
  return [runId, agentId, userId, sessionId ?? '-', statusOf(record), `${record.attempts}`, record.createdAt]
}

export const runColumns: readonly string[] = ['run', 'agent', 'user', 'session', 'status', 'attempts', 'created']

function statusOf({ status, finishReason, replaced }: Pick<RunRecord, 'status' | 'finishReason' | 'replaced'>): string {
  const reason = finishReason === undefined || status === 'waiting' ? '' : ` (${finishReason})`
  return `${status}${reason}${replaced ? ', replaced' : ''}`
}

function noticeLine({ noticeId, tries, createdAt, failed }: UndeliveredNotice): string {
  const since = new Date(createdAt).toISOString()
  if (tries === 0 && failed === undefined) return `notice    ${noticeId} of ${since} waits to be delivered`
  const state = failed === undefined ? 'is tried again' : `is not tried again: ${failed}`
  return `notice    ${noticeId} of ${since} was not delivered in ${tries} ${tries === 1 ? 'try' : 'tries'}, and ${state}`
}

function cut(text: string): string {
  return text.length > 200 ? `${firstChars(text, 199)}…` : text
}
