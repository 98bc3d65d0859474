/** The statements about background runs: their queueing, their members, and related data. */
export const backgroundTexts = {
  enqueueRun: `INSERT INTO runs (run_id, session, agent_id, user_id, status, holds_session, attempt, is_resumable,
      keeps_events, parent, root, priority, due_at, ready_at, agent_version, idempotency_key, idempotency_fingerprint,
      created_at, options, is_background, notifies)
    VALUES (:runId, :session, :agentId, :userId, 'queued', 0, 0, 1, 1, :parent, :root, :priority, :dueAt, :readyAt,
      :agentVersion, :idempotencyKey, :fingerprint, :now, :options, 1, :notifies)`,
  idempotentRun: `SELECT run_id, idempotency_fingerprint AS fingerprint FROM runs
    WHERE agent_id = ? AND user_id = ? AND idempotency_key = ?`,
  queuedRuns: "SELECT coalesce(sum(runs), 0) AS runs FROM run_counts WHERE status = 'queued'",
  queuedRunsOfUser: `SELECT count(*) AS runs FROM (SELECT 1 FROM runs
    WHERE user_id = ? AND status = 'queued' AND is_background = 1 AND root IS NULL LIMIT ?)`,
  /** The runs of a session that are queued, running, free or decided: each kind by its own index. */
  busyRuns: `SELECT run_id FROM runs WHERE session = :session AND status = 'queued'
    UNION ALL SELECT run_id FROM runs WHERE session = :session AND status = 'running' AND holds_session = 1
    UNION ALL SELECT run_id FROM runs WHERE session = :session AND status = 'running' AND holds_session = 0`,
  decidedRun: "SELECT 1 FROM runs WHERE session = ? AND status = 'running' AND holds_session = 0 LIMIT 1",
  earlierQueued: `SELECT 1 FROM runs AS own CROSS JOIN runs AS other ON other.session = own.session
    WHERE own.number = ? AND other.status = 'queued' AND (other.ready_at, other.number) < (own.ready_at, own.number)
    LIMIT 1`,
  holdQueued: 'UPDATE sessions SET direct_until = ? WHERE agent_id = ? AND user_id = ? AND session_id = ?',
  /** For seconds; one that is later was stored before the clock was set back. */
  directWaits: 'SELECT 1 FROM sessions WHERE id = :session AND direct_until BETWEEN :now + 1 AND :now + 60000',
  /** At the end of its session's turns, before anything refers to it. */
  placeLast: `UPDATE runs SET listed = coalesce(listed, number), number = (SELECT max(number) + 1 FROM runs)
    WHERE number = ? AND number < (SELECT max(other.number) FROM runs AS other WHERE other.session = runs.session)
    RETURNING number`,
  /** Deletes the events of a run that was cancelled before it began, and is retried. */
  dropEvents: 'DELETE FROM events WHERE run = ? RETURNING seq, body',
  describeRun: `UPDATE runs SET deadline = coalesce(?, deadline), options = coalesce(?, options),
    notifies = max(notifies, ?) WHERE number = ?`,
  retryRun: `UPDATE runs SET status = 'queued', holder = NULL, holds_session = 0, awaits_members = 0, takeovers = 0,
      is_background = 1, is_resumable = 1, keeps_events = 1, due_at = NULL, ready_at = :now, deadline = NULL,
      ended_at = NULL, finish_reason = NULL, error = NULL, sources = NULL, answer = NULL
    WHERE number = :number`,
  /** Open approvals of the run get their full time again. */
  askAgain: 'UPDATE approvals SET requested_at = :now WHERE run = :number AND decision IS NULL',

  callerHasEnded: `SELECT 1 FROM runs AS own JOIN runs AS caller ON caller.run_id = own.parent
    WHERE own.number = ? AND own.root IS NOT NULL AND caller.status IN ('done', 'failed')`,
  familyOfRun: 'SELECT parent, root, agent_id, user_id, priority FROM runs WHERE number = ?',
  awaitMembers: `UPDATE runs SET holder = NULL, awaits_members = EXISTS (SELECT 1 FROM runs AS member
      WHERE member.parent = runs.run_id AND member.status IN ('queued', 'running'))
    WHERE number = ?`,
  /** Frees the caller of a member when its last open member has ended or was suspended. */
  freeParent: `UPDATE runs SET awaits_members = 0
    WHERE run_id = (SELECT parent FROM runs AS member WHERE member.number = ?) AND awaits_members = 1
      AND NOT EXISTS (SELECT 1 FROM runs AS member
        WHERE member.parent = runs.run_id AND member.status IN ('queued', 'running'))
    RETURNING run_id`,
  /** The join begins with the members, as CROSS JOIN says: the planner would read all runs at each end of a run. */
  openMembers: `WITH RECURSIVE members (run_id) AS (SELECT run_id FROM runs WHERE parent = ?
      UNION ALL SELECT runs.run_id FROM members CROSS JOIN runs ON runs.parent = members.run_id)
    SELECT number, run_id, session, attempt, keeps_events, is_background FROM members CROSS JOIN runs USING (run_id)
    WHERE ended_at IS NULL ORDER BY number DESC`,

  unfinishedRuns: `SELECT number, run_id, runs.agent_id, runs.user_id, sessions.agent_id AS session_agent_id, session_id,
      status, priority, due_at, ready_at, attempt, runs.holder, host, pid, thread, heartbeat
    FROM runs JOIN sessions ON sessions.id = runs.session LEFT JOIN holders ON holders.id = runs.holder
    WHERE is_background = 1 AND ended_at IS NULL AND coalesce(listed, number) > :after AND status IN ('queued', 'running')
      AND awaits_members = 0 AND (:agents IS NULL OR runs.agent_id IN (SELECT value FROM json_each(:agents)))
    ORDER BY coalesce(listed, number)`,
  backgroundCounts: 'SELECT agent_id, status, runs, attempts FROM run_counts WHERE runs > 0',
  crashedCounts: `SELECT agent_id, count(*) AS runs FROM runs WHERE is_background = 1 AND root IS NULL
    AND status = 'failed' AND instr(error, '"code":"crashed"') > 0 GROUP BY agent_id`,
  oldestQueued: `SELECT agent_id, (SELECT min(ready_at) FROM runs WHERE runs.agent_id = run_counts.agent_id
      AND status = 'queued' AND is_background = 1 AND root IS NULL) AS oldest
    FROM run_counts WHERE status = 'queued' AND runs > 0`,

  sharedBudget: `SELECT version, value FROM shared_budgets WHERE run = (SELECT number FROM runs WHERE run_id = ?)`,
  addSharedBudget: `INSERT INTO shared_budgets (run, version, value) SELECT number, 1, :value FROM runs
    WHERE run_id = :runId ON CONFLICT DO NOTHING`,
  moveSharedBudget: `UPDATE shared_budgets SET version = version + 1, value = :value
    WHERE run = (SELECT number FROM runs WHERE run_id = :runId) AND version = :version`,

  setSchedule: `INSERT INTO schedules (agent_id, name, cron, time_zone, missed, user_id, entry, next_at, last_at)
    VALUES (:agentId, :name, :cron, :timeZone, :missed, :userId, :entry, :nextAt, :lastAt)
    ON CONFLICT (agent_id, name) DO UPDATE SET cron = excluded.cron, time_zone = excluded.time_zone,
      missed = excluded.missed, user_id = excluded.user_id, entry = excluded.entry,
      next_at = CASE WHEN cron = excluded.cron AND time_zone = excluded.time_zone
        THEN coalesce(next_at, excluded.next_at) ELSE excluded.next_at END,
      last_at = coalesce(excluded.last_at, last_at)`,
  removeSchedule: 'DELETE FROM schedules WHERE agent_id = ? AND name = ?',
  schedules: `SELECT * FROM schedules WHERE (:agents IS NULL OR agent_id IN (SELECT value FROM json_each(:agents)))
    AND (:dueBefore IS NULL OR next_at <= :dueBefore) ORDER BY agent_id, name`,
  dueSchedules: `SELECT * FROM schedules WHERE agent_id IN (SELECT value FROM json_each(:agents))
    AND next_at <= :dueBefore ORDER BY agent_id, name`,
  moveSchedule: `UPDATE schedules SET next_at = :nextAt, last_at = coalesce(:startedAt, last_at)
    WHERE agent_id = :agentId AND name = :name AND next_at = :expected`,

  addNotice: 'INSERT INTO notices (notice_id, run, agent_id, created_at, next_at, record) VALUES (?, ?, ?, ?, ?, ?)',
  // A notice is tried within an hour. One that is later was stored before the clock was set back.
  hasDueNotice: `SELECT EXISTS (SELECT 1 FROM notices WHERE failed IS NULL AND next_at <= :now
      AND agent_id IN (SELECT value FROM json_each(:agents)))
    OR EXISTS (SELECT 1 FROM notices WHERE failed IS NULL AND next_at > :now + 3660000
      AND agent_id IN (SELECT value FROM json_each(:agents))) AS due`,
  takeNotices: `UPDATE notices SET tries = tries + 1, next_at = :until WHERE rowid IN (SELECT rowid FROM notices
      WHERE failed IS NULL AND (next_at <= :now OR next_at > :now + 3660000) AND agent_id IN (SELECT value FROM json_each(:agents))
      ORDER BY next_at LIMIT :limit)
    RETURNING notice_id, tries, created_at, record, rowid,
      (SELECT run_id FROM runs WHERE number = notices.run) AS run_id`,
  endNotice: 'DELETE FROM notices WHERE notice_id = ?',
  postponeNotice: 'UPDATE notices SET next_at = ? WHERE notice_id = ?',
  failNotice: 'UPDATE notices SET failed = ? WHERE notice_id = ?',
  undelivered: `SELECT notice_id, tries, created_at, failed FROM notices
    WHERE run = (SELECT number FROM runs WHERE run_id = ?) ORDER BY rowid`,

  beatWorker: `INSERT INTO workers (agent_id, worker_id, beat_at) VALUES (?, ?, ?)
    ON CONFLICT (agent_id, worker_id) DO UPDATE SET beat_at = excluded.beat_at`,
  /** Workers that have died. One row of each agent stays: the newest. */
  forgetWorkers: 'DELETE FROM workers WHERE agent_id = ? AND beat_at < ?',
  removeWorker: "UPDATE OR REPLACE workers SET worker_id = '' WHERE worker_id = ?",
  lastWorkers: 'SELECT agent_id, max(beat_at) AS beat_at FROM workers GROUP BY agent_id',
} as const
