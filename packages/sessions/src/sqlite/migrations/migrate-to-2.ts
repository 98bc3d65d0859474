import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '@agentkit/core'
import { cutTitle, plainText, recordOfSuspended, type SuspendedRecord } from '@agentkit/core/internal'

/**
 * Version 2: what outlives a process. Released; never changed.
 *
 * `runs` is rebuilt, because SQLite cannot change its CHECK and its NOT NULL. Its columns already hold what background
 * runs need.
 */
export function addRunStore(database: DatabaseSync): void {
  database.exec(tables)
  addQuestions(database)
  convertSuspendedRuns(database)
}

const tables = `
  ALTER TABLE sessions ADD COLUMN title TEXT; -- set by its user
  ALTER TABLE sessions ADD COLUMN question TEXT; -- the start of the first question, the title until one is set

  CREATE TABLE runs_of_2 (
    number INTEGER PRIMARY KEY, -- in the order in which they began
    run_id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL, -- of the run; the session of a run without a session has another one
    user_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'waiting', 'done', 'failed')),
    replaced INTEGER NOT NULL DEFAULT 0, -- hidden by a later run
    holder TEXT, -- the store that runs it; NULL when none does
    holds_session INTEGER NOT NULL DEFAULT 1, -- of a running one: whether no other may run in the session
    attempt INTEGER NOT NULL DEFAULT 1, -- one more with each takeover
    takeovers INTEGER NOT NULL DEFAULT 0, -- of the lost run, since it last finished a step
    is_resumable INTEGER NOT NULL DEFAULT 0,
    keeps_events INTEGER NOT NULL DEFAULT 0,
    has_events INTEGER NOT NULL DEFAULT 0, -- until they are pruned
    last_seq INTEGER NOT NULL DEFAULT 0, -- of its events that were pruned
    deadline INTEGER,
    waiting_since INTEGER, -- when the oldest of its open approvals was requested
    parent TEXT, -- a run_id
    priority INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    agent_version TEXT,
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    finish_reason TEXT,
    usage TEXT, -- JSON, as all below but the answer
    error TEXT,
    cost TEXT,
    sources TEXT,
    answer TEXT,
    state TEXT,
    options TEXT,
    progress TEXT
  );
  INSERT INTO runs_of_2 (number, run_id, session, agent_id, user_id, status, holder, holds_session, waiting_since,
      created_at, started_at, ended_at, usage, state)
    SELECT number, run_id, session,
      iif(agent_id LIKE '%:waiting', substr(agent_id, 1, length(agent_id) - 8), agent_id), user_id,
      status, iif(status = 'running', holder, NULL), status = 'running', iif(status = 'waiting', updated_at, NULL),
      runs.created_at, runs.created_at, iif(status IN ('done', 'failed'), runs.created_at, NULL), usage, runs.state
    FROM runs JOIN sessions ON sessions.id = runs.session;
  DROP TABLE runs;
  ALTER TABLE runs_of_2 RENAME TO runs;

  CREATE INDEX runs_of_session ON runs (session, number);
  CREATE UNIQUE INDEX one_run_holds_session ON runs (session) WHERE status = 'running' AND holds_session = 1;
  CREATE INDEX runs_of_owner ON runs (agent_id, user_id, number);
  -- Waiting, decided and queued ones. A run that is never suspended is in no index of its status but the one above.
  CREATE INDEX suspended_runs ON runs (number) WHERE holds_session = 0 AND ended_at IS NULL;
  CREATE INDEX waiting_runs ON runs (waiting_since) WHERE status = 'waiting';
  CREATE INDEX runs_with_events ON runs (ended_at) WHERE has_events = 1;

  -- Calls of tools that have begun.
  CREATE TABLE calls (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    UNIQUE (run, call_id)
  );

  CREATE TABLE approvals (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    approval_id TEXT NOT NULL,
    attempt INTEGER NOT NULL, -- that requested it last
    body TEXT NOT NULL, -- JSON
    decision TEXT, -- JSON
    decided_by TEXT,
    decided_at INTEGER,
    requested_at INTEGER NOT NULL,
    UNIQUE (run, approval_id)
  );

  CREATE TABLE events (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;

  -- Answers to requests with an idempotency key. The run need not exist yet, hence no foreign key.
  CREATE TABLE answers (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    run_id TEXT,
    status INTEGER, -- NULL while the request is running
    type TEXT,
    body TEXT,
    holder TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (scope, key)
  );
  CREATE INDEX answers_of_run ON answers (run_id);
  CREATE INDEX answers_by_age ON answers (created_at);
  CREATE TRIGGER delete_answers AFTER DELETE ON runs BEGIN
    DELETE FROM answers WHERE run_id = OLD.run_id;
  END;

  -- One row while the file may hold traces of what was deleted: the next clean close removes them.
  CREATE TABLE traces (id INTEGER PRIMARY KEY CHECK (id = 1));
  CREATE TRIGGER leave_traces AFTER DELETE ON sessions BEGIN
    INSERT OR IGNORE INTO traces VALUES (1);
  END;
  INSERT INTO traces SELECT 1 FROM sessions LIMIT 1; -- version 1 did not overwrite what it deleted
`

/** The first question of each session that has messages already. */
function addQuestions(database: DatabaseSync): void {
  const messages = database.prepare(
    'SELECT body FROM runs JOIN messages ON messages.run = runs.number WHERE session = ? ORDER BY number, position',
  )
  const setQuestion = database.prepare('UPDATE sessions SET question = ? WHERE id = ?')
  for (const { id } of database.prepare('SELECT id FROM sessions').all()) {
    const question = firstQuestion(messages.iterate(id as number))
    if (question !== undefined) setQuestion.run(question, id as number)
  }
}

function firstQuestion(rows: Iterable<Record<string, unknown>>): string | undefined {
  for (const { body } of rows) {
    const message = parsedMessage(body)
    if (message?.role === 'user') return cutTitle(plainText(message))
  }
  return undefined
}

/** A message that cannot be read does not stop the migration: reading its session reports it. */
function parsedMessage(body: unknown): Message | undefined {
  try {
    return JSON.parse(String(body)) as Message
  } catch {
    return undefined
  }
}

/** Suspended runs have their snapshot in their state. From now on it is their progress, and their approvals are rows. */
function convertSuspendedRuns(database: DatabaseSync): void {
  const now = Date.now()
  const messages = database.prepare('SELECT body FROM messages WHERE run = ? ORDER BY position')
  const setProgress = database.prepare('UPDATE runs SET waiting_since = ?, options = ?, progress = ? WHERE number = ?')
  const addApproval = database.prepare(
    'INSERT INTO approvals (run, approval_id, attempt, body, requested_at) VALUES (?, ?, 1, ?, ?)',
  )
  const waiting = database.prepare("SELECT number, run_id, state FROM runs WHERE status = 'waiting'").all()
  for (const { number, run_id, state } of waiting as { number: number; run_id: string; state: string | null }[]) {
    const bodies = messages.all(number).map(({ body }) => String(body))
    const record = recordOf(run_id, state, bodies)
    if (!record) continue
    // The approvals expire as if they were requested now: earlier versions kept them as long as their session.
    setProgress.run(now, JSON.stringify(record.options), JSON.stringify(record.progress), number)
    for (const approval of record.approvals) {
      addApproval.run(number, approval.approvalId, JSON.stringify(approval), now)
    }
  }
}

/** `undefined` for a run that cannot be resumed, and for one that cannot be read. */
function recordOf(runId: string, state: string | null, bodies: readonly string[]): SuspendedRecord | undefined {
  if (state === null) return undefined
  try {
    const messages: Message[] = bodies.map((body) => JSON.parse(body))
    return recordOfSuspended({ runId, state: JSON.parse(state), messages })
  } catch {
    return undefined
  }
}
