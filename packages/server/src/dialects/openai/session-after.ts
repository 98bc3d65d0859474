/**
 * The id of a new session that begins with the turns up to a run. It names the run, as nothing else that is stored of the
 * session does: a response that is read later says by it what it continues.
 */
export function sessionAfter(runId: string): string {
  return `after_${runId}_${crypto.randomUUID()}`
}

/** The run whose turns a session begins with; `undefined` for other sessions. */
export function runBeforeSession(sessionId: string): string | undefined {
  return /^after_(.+)_[0-9a-f-]{36}$/s.exec(sessionId)?.[1]
}
