import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { answerTexts } from './answer-statements.ts'
import { backgroundTexts } from './background-statements.ts'
import { eventTexts } from './event-statements.ts'
import { jobTexts } from './job-statements.ts'
import { memoryTexts } from './memory-statements.ts'
import { runTexts } from './run-statements.ts'

/** The statements about sessions. */
const sessionTexts = {
  session: `SELECT id, version, state, question IS NULL AS is_untitled FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?`,
  addSession: `INSERT INTO sessions (agent_id, user_id, session_id, version, created_at, updated_at, question)
    VALUES (?, ?, ?, 0, ?, ?, ?) RETURNING id`,
  moveSession: 'UPDATE sessions SET version = version + 1, updated_at = ? WHERE id = ?',
  keyOfSession: 'SELECT agent_id AS agentId, user_id AS userId FROM sessions WHERE id = ?',
  versionOfSession: 'SELECT version FROM sessions WHERE id = ?',
  setSessionState: 'UPDATE sessions SET state = ? WHERE id = ?',
  setTitle: 'UPDATE sessions SET title = ? WHERE agent_id = ? AND user_id = ? AND session_id = ?',
  setQuestion: 'UPDATE sessions SET question = ? WHERE id = ? AND question IS NULL',
  deleteSession: `DELETE FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?`,
  // The place in the order of a session; (now, all) begins before the first one.
  placeOfSession: 'SELECT updated_at, id FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?',
  // The page first: what a row needs beside its session is read for that page alone.
  listSessions: `SELECT page.id, session_id, coalesce(title, question, '') AS title, page.created_at, updated_at,
      (SELECT count(*) FROM runs WHERE session = page.id AND replaced = 0 AND attempt > 0) AS turns,
      active.run_id, active.attempt, active.is_resumable, active.holder, host, pid, thread, heartbeat
    FROM (SELECT id, session_id, title, question, created_at, updated_at FROM sessions
        WHERE agent_id = ? AND user_id = ? AND (updated_at, id) < (?, ?)
        ORDER BY updated_at DESC, id DESC LIMIT ?) AS page
      LEFT JOIN runs AS active ON active.session = page.id AND active.status = 'running' AND holds_session = 1
      LEFT JOIN holders ON holders.id = active.holder
    ORDER BY updated_at DESC, page.id DESC`,

  turns: `SELECT number, run_id, status, replaced, usage, state, created_at FROM runs
    WHERE session = (SELECT id FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?)
      AND number > ? AND attempt > 0 ORDER BY number LIMIT ?`,
  turn: `SELECT number, run_id, status, replaced, usage, state, created_at FROM runs
    WHERE run_id = ? AND attempt > 0`,
  numberInSession: `SELECT number FROM runs
    WHERE run_id = ? AND session = (SELECT id FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?)`,

  addMessage: 'INSERT INTO messages (run, position, body) VALUES (?, ?, ?)',
  messagesOfRun: 'SELECT body FROM messages WHERE run = ? ORDER BY position',
  messagesOfSession: `SELECT run, status, body FROM runs JOIN messages ON messages.run = runs.number
    WHERE session = ? AND number > ? AND replaced = 0 ORDER BY number, position`,
  sumsOfRuns: `SELECT max(number), count(*), sum(attempt), sum(replaced), sum(status = 'done'), sum(status = 'failed')
    FROM runs WHERE session = ? AND number > ? AND number <= ?`,
  firstOpenRun: `SELECT min(number) FROM runs WHERE session = ? AND number > ? AND status NOT IN ('done', 'failed')`,
  // Results of tools are not searched. Most are skipped here; their role is checked again.
  searchedMessages: `SELECT run_id, body FROM runs JOIN messages ON messages.run = runs.number
    WHERE session = ? AND replaced = 0 AND instr(substr(body, 1, 40), '"role":"tool"') = 0
    ORDER BY number DESC, position DESC`,

  beat: `INSERT INTO holders (id, host, pid, thread, heartbeat) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat`,
  removeHolder: 'DELETE FROM holders WHERE id = ?',
  // A run that has a holder holds its session, and the index of those runs is small.
  removeIdleHolder: `DELETE FROM holders WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM runs WHERE holder = holders.id AND status = 'running' AND holds_session = 1)`,
} as const

const texts = {
  ...sessionTexts,
  ...runTexts,
  ...eventTexts,
  ...answerTexts,
  ...backgroundTexts,
  ...jobTexts,
  ...memoryTexts,
}

type StatementName =
  | keyof typeof sessionTexts
  | keyof typeof runTexts
  | keyof typeof eventTexts
  | keyof typeof answerTexts
  | keyof typeof backgroundTexts
  | keyof typeof jobTexts
  | keyof typeof memoryTexts

/** Every statement that the store runs. */
export type Statements = { readonly [Name in StatementName]: StatementSync }

/** Every run loads all messages, and rows as arrays are 20 % faster. */
const withArrays: ReadonlySet<string> = new Set([
  'messagesOfSession',
  'sumsOfRuns',
  'firstOpenRun',
  'recalledTurns',
] satisfies StatementName[])

/**
 * Prepared once, each when it is first used: all of them take 5 ms of a start. Statements keep their database open, because
 * they must not outlive it.
 */
export function prepareStatements(database: DatabaseSync): Statements {
  const statements = {}
  for (const [name, text] of Object.entries(texts)) {
    const prepare = (): StatementSync => {
      const value = database.prepare(text)
      if (withArrays.has(name)) value.setReturnArrays(true)
      Object.defineProperty(statements, name, { value })
      return value
    }
    Object.defineProperty(statements, name, { get: prepare, enumerable: true, configurable: true })
  }
  // Built from the keys of the type.
  return statements as Statements
}
