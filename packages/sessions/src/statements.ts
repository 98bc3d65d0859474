import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Every statement that the store runs. */
const texts = {
  session: `SELECT id, version, state FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?`,
  addSession: `INSERT INTO sessions (agent_id, user_id, session_id, version, created_at, updated_at)
    VALUES (?, ?, ?, 0, ?, ?) RETURNING id`,
  moveSession: 'UPDATE sessions SET version = version + 1, updated_at = ? WHERE id = ?',
  moveSessionOfRun: `UPDATE sessions SET version = version + 1, updated_at = ?
    WHERE id = (SELECT session FROM runs WHERE run_id = ?)`,
  setSessionState: 'UPDATE sessions SET state = ? WHERE id = (SELECT session FROM runs WHERE run_id = ?)',
  deleteSession: `DELETE FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?`,
  listSessions: `SELECT session_id, created_at, updated_at,
      (SELECT count(*) FROM runs WHERE session = sessions.id) AS turns
    FROM sessions WHERE agent_id = ? AND user_id = ? ORDER BY updated_at DESC, id DESC`,

  run: 'SELECT number, run_id, status, usage, state, created_at FROM runs WHERE run_id = ?',
  runningRun: `SELECT run_id, holder, host, pid, thread, heartbeat
    FROM runs LEFT JOIN holders ON holders.id = runs.holder WHERE session = ? AND status = 'running'`,
  addRun: `INSERT INTO runs (run_id, session, status, holder, created_at) VALUES (?, ?, 'running', ?, ?)`,
  reopenRun: `UPDATE runs SET status = 'running', holder = ? WHERE run_id = ? AND session = ? AND status = 'waiting'`,
  endRun: `UPDATE runs SET status = ?, usage = coalesce(?, usage) WHERE run_id = ? AND status = 'running'`,
  setRunState: `UPDATE runs SET state = ? WHERE run_id = ? AND status = 'running'`,
  turns: `SELECT number, run_id, status, usage, state, created_at FROM runs
    WHERE session = (SELECT id FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?)
      AND number > ? ORDER BY number LIMIT ?`,
  numberInSession: `SELECT number FROM runs
    WHERE run_id = ? AND session = (SELECT id FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?)`,

  addMessage: `INSERT INTO messages (run, position, body)
    SELECT number, (SELECT coalesce(max(position), -1) + 1 FROM messages WHERE run = number), ?
    FROM runs WHERE run_id = ? AND status = 'running'`,
  messagesOfRun: 'SELECT body FROM messages WHERE run = ? ORDER BY position',
  messagesOfSession: `SELECT run, status, body FROM runs JOIN messages ON messages.run = runs.number
    WHERE session = ? ORDER BY number, position`,

  beat: `INSERT INTO holders (id, host, pid, thread, heartbeat) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat`,
  removeHolder: 'DELETE FROM holders WHERE id = ?',
  removeIdleHolder: `DELETE FROM holders WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM runs WHERE holder = holders.id AND status = 'running')`,
} as const

export type Statements = { readonly [Name in keyof typeof texts]: StatementSync }

/** Prepared once. Statements keep their database open, because they must not outlive it. */
export function prepareStatements(database: DatabaseSync): Statements {
  const entries = Object.entries(texts).map(([name, text]) => [name, database.prepare(text)])
  // Built from the keys of the type.
  const statements = Object.fromEntries(entries) as Statements
  // Every run loads all messages, and rows as arrays are 20 % faster.
  statements.messagesOfSession.setReturnArrays(true)
  return statements
}
