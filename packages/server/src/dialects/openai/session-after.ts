/**
 * The id of a new session that begins with the turns up to a run. It contains the id of the run, which the session
 * stores nowhere else: a response that is read later finds the response before it by this id.
 */
export function sessionAfter(runId: string): string {
  return `after_${runId}_${crypto.randomUUID()}`
}

/** The run whose turns a session begins with; `undefined` for other sessions. */
export function runBeforeSession(sessionId: string): string | undefined {
  return /^after_(.+)_[0-9a-f-]{36}$/s.exec(sessionId)?.[1]
}
