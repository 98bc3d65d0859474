/**
 * Version 3: runs that workers begin and continue. Released; never changed.
 *
 * Nothing is rebuilt. The columns of `runs` that every run has are 0, 1 or NULL, which SQLite reads from the head of a
 * row without the large columns before them.
 */
export const addBackgroundRuns = `
  ALTER TABLE runs ADD COLUMN is_background INTEGER NOT NULL DEFAULT 0; -- workers begin and continue it
  ALTER TABLE runs ADD COLUMN awaits_members INTEGER NOT NULL DEFAULT 0; -- running, but not to be taken over yet
  ALTER TABLE runs ADD COLUMN notifies INTEGER NOT NULL DEFAULT 0; -- its end and its waiting are rows of notices
  ALTER TABLE runs ADD COLUMN root TEXT; -- the run_id of the outermost run, of a member's run
  ALTER TABLE runs ADD COLUMN ready_at INTEGER; -- the order in which queued runs of a session begin
  ALTER TABLE runs ADD COLUMN idempotency_fingerprint TEXT;
  ALTER TABLE events ADD COLUMN member INTEGER; -- the number of the member's run; NULL for those of the run itself

  CREATE INDEX queued_of_session ON runs (session, ready_at, number) WHERE status = 'queued';
  CREATE INDEX queued_of_user ON runs (user_id, agent_id, ready_at)
    WHERE status = 'queued' AND is_background = 1 AND root IS NULL;
  -- Decided, and not taken over yet.
  CREATE INDEX decided_runs ON runs (session) WHERE status = 'running' AND holds_session = 0;
  CREATE INDEX open_background ON runs (number) WHERE is_background = 1 AND ended_at IS NULL;
  CREATE INDEX background_counts ON runs (agent_id, status, attempt) WHERE is_background = 1 AND root IS NULL;
  CREATE INDEX crashed_background ON runs (agent_id) WHERE is_background = 1 AND root IS NULL
    AND status = 'failed' AND instr(error, '"code":"crashed"') > 0;
  CREATE UNIQUE INDEX idempotent_runs ON runs (agent_id, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX runs_of_parent ON runs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX runs_of_root ON runs (root) WHERE root IS NOT NULL;
  CREATE INDEX events_of_members ON events (member, seq) WHERE member IS NOT NULL;

  -- With a run, the runs of its members are deleted, each with the session that only it uses.
  CREATE TRIGGER delete_members AFTER DELETE ON runs BEGIN
    DELETE FROM sessions WHERE id IN (SELECT session FROM runs WHERE root = OLD.run_id)
      AND NOT EXISTS (SELECT 1 FROM runs WHERE session = sessions.id AND root IS NOT OLD.run_id);
    DELETE FROM runs WHERE root = OLD.run_id;
  END;

  CREATE TABLE shared_budgets (
    run INTEGER NOT NULL PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE ON UPDATE CASCADE,
    version INTEGER NOT NULL,
    value TEXT NOT NULL -- JSON
  );

  CREATE TABLE notices (
    notice_id TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE ON UPDATE CASCADE,
    agent_id TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL, -- when it may be taken
    failed TEXT, -- why it is not tried again
    record TEXT NOT NULL -- JSON: the run as it was then
  );
  CREATE INDEX due_notices ON notices (agent_id, next_at) WHERE failed IS NULL;
  CREATE INDEX notices_of_run ON notices (run);

  CREATE TABLE schedules (
    agent_id TEXT NOT NULL,
    name TEXT NOT NULL,
    cron TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    missed TEXT NOT NULL,
    user_id TEXT NOT NULL,
    entry TEXT NOT NULL, -- JSON
    next_at INTEGER, -- NULL: it never comes again
    last_at INTEGER,
    PRIMARY KEY (agent_id, name)
  );

  -- The last sign of each worker, by agent. A worker that has left is kept as one without a name.
  CREATE TABLE workers (
    agent_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    beat_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, worker_id)
  ) WITHOUT ROWID;

  -- The queue: ids alone, which can be made again from the runs.
  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_key TEXT,
    priority INTEGER NOT NULL,
    place INTEGER NOT NULL, -- the order in a session, and of jobs of one priority: the time of the run
    run_number INTEGER NOT NULL, -- and of runs of the same time
    due_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('behind', 'later', 'ready', 'taken')), -- behind: another job of its session is first
    token TEXT, -- of the worker that has it
    lease_until INTEGER
  );
  CREATE INDEX jobs_of_run ON jobs (run_id);
  CREATE INDEX jobs_of_session ON jobs (session_key, place, run_number, id) WHERE session_key IS NOT NULL;
  -- The first job of each session: of a long line, all but one are behind.
  CREATE INDEX first_of_session ON jobs (session_key) WHERE session_key IS NOT NULL AND state <> 'behind';
  CREATE INDEX later_jobs ON jobs (due_at) WHERE state = 'later';
  CREATE INDEX ready_jobs ON jobs (agent_id, user_id, priority DESC, place, run_number, id) WHERE state = 'ready';
  CREATE INDEX taken_jobs ON jobs (lease_until) WHERE state = 'taken';
  CREATE INDEX taken_of_user ON jobs (user_id) WHERE state = 'taken';
  CREATE UNIQUE INDEX jobs_by_token ON jobs (token) WHERE token IS NOT NULL;

  -- Users with jobs that are ready: the one who was served longest ago is next.
  CREATE TABLE job_turns (
    agent_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (agent_id, user_id)
  ) WITHOUT ROWID;
  CREATE INDEX job_turns_of_agent ON job_turns (agent_id, turn);
  CREATE INDEX job_turns_of_user ON job_turns (user_id);
  CREATE INDEX last_job_turn ON job_turns (turn);
`
