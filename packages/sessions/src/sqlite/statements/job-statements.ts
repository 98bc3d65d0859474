/** The statements about the queue of jobs. */
export const jobTexts = {
  /**
   * The jobs of a session have the order of its runs, if the store knows the runs. The run that holds the session is
   * first, because no other run can begin or continue before it ends. Of two runs that were accepted at the same time,
   * the run that has begun is first, although it has a new number.
   */
  addJob: `INSERT INTO jobs (run_id, agent_id, user_id, session_key, priority, due_at, state, place, run_number)
    SELECT :runId, :agentId, :userId, :sessionKey, :priority, :dueAt, 'behind',
      iif(status = 'running' AND holds_session, 0, coalesce(ready_at, :sessionOrder, :dueAt)),
      coalesce(iif(status = 'queued', number, 0), 0)
    FROM (SELECT 1) LEFT JOIN runs ON run_id = :runId RETURNING id`,
  firstOfSession: `SELECT id, state, agent_id, user_id, due_at FROM jobs WHERE session_key = ?
    ORDER BY place, run_number, id LIMIT 1`,
  takenOfSession: "SELECT 1 FROM jobs WHERE session_key = ? AND state <> 'behind' AND state = 'taken' LIMIT 1",
  waitBehind: `UPDATE jobs SET state = 'behind' WHERE session_key = ? AND id <> ?
    AND state <> 'behind' AND state IN ('later', 'ready')`,
  setJobState: 'UPDATE jobs SET state = ?, token = NULL, lease_until = NULL WHERE id = ?',
  dueJobs: "SELECT id, agent_id, user_id FROM jobs WHERE state = 'later' AND due_at <= ? ORDER BY due_at LIMIT 1000",
  /** Leases that no clock has given: it was set back since. A worker that lives has renewed its own by the new end. */
  boundLeases: "UPDATE jobs SET lease_until = :most WHERE state = 'taken' AND lease_until > :most + 1000",
  lostJobs: "SELECT id, agent_id, user_id FROM jobs WHERE state = 'taken' AND lease_until <= ? LIMIT 1000",

  addJobTurn: `INSERT INTO job_turns (agent_id, user_id, turn) VALUES (?, ?, (SELECT coalesce(max(turn), 0) + 1 FROM job_turns))
    ON CONFLICT DO NOTHING`,
  jobTurns: 'SELECT user_id, turn FROM job_turns WHERE agent_id = ? ORDER BY turn',
  removeJobTurn: 'DELETE FROM job_turns WHERE agent_id = ? AND user_id = ?',
  moveJobTurn: 'UPDATE job_turns SET turn = (SELECT max(turn) + 1 FROM job_turns) WHERE user_id = ?',
  nextJob: `SELECT id, run_id, agent_id, user_id, session_key, priority, place, run_number FROM jobs
    WHERE agent_id = ? AND user_id = ? AND state = 'ready' ORDER BY priority DESC, place, run_number, id LIMIT 1`,
  takenOfUser: "SELECT count(*) AS jobs FROM jobs WHERE user_id = ? AND state = 'taken'",
  takeJob: "UPDATE jobs SET state = 'taken', token = ?, lease_until = ? WHERE id = ?",
  keepJob: 'UPDATE jobs SET lease_until = ? WHERE token = ?',
  takenJob: 'SELECT id, session_key, agent_id, user_id FROM jobs WHERE token = ?',
  removeJob: 'DELETE FROM jobs WHERE id = ?',
  removeJobsOfRun: "DELETE FROM jobs WHERE run_id = ? AND state <> 'taken' RETURNING session_key",
  postponeJob: "UPDATE jobs SET state = 'behind', due_at = ?, token = NULL, lease_until = NULL WHERE id = ?",

  hasJob: 'SELECT 1 FROM jobs WHERE run_id = ? LIMIT 1',
  startOfRun: 'SELECT runs.due_at FROM jobs JOIN runs USING (run_id) WHERE jobs.id = ?',
  /** Postponed, to a time that was far ahead only since the clock was set back. */
  misdatedJob: `SELECT jobs.id FROM jobs JOIN runs USING (run_id) WHERE jobs.run_id = :runId AND jobs.state = 'later'
    AND jobs.due_at > :now + :longest AND coalesce(runs.due_at, 0) <= :now`,
  redateJob: 'UPDATE jobs SET due_at = ? WHERE id = ?',
  hasWork: `SELECT EXISTS (SELECT 1 FROM job_turns WHERE agent_id IN (SELECT value FROM json_each(:agents)))
    OR EXISTS (SELECT 1 FROM jobs WHERE state = 'later' AND due_at <= :now)
    OR EXISTS (SELECT 1 FROM jobs WHERE state = 'taken' AND (lease_until <= :now OR lease_until > :most + 1000)) AS work`,
  jobCounts: `SELECT agent_id, state = 'taken' AS is_taken, count(*) AS jobs,
      min(iif(due_at <= :now, due_at, NULL)) AS oldest
    FROM jobs GROUP BY agent_id, is_taken`,
  removeJobs: 'DELETE FROM jobs WHERE :agents IS NULL OR agent_id IN (SELECT value FROM json_each(:agents))',
  removeJobTurns: 'DELETE FROM job_turns WHERE :agents IS NULL OR agent_id IN (SELECT value FROM json_each(:agents))',
  dataVersion: 'PRAGMA data_version',
} as const
