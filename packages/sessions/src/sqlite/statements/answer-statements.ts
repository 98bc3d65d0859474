// Runs of members are deleted with the outermost run.
const ofMember = 'SELECT 1 FROM runs WHERE root IS NOT NULL AND session'
// Its session stays: without this condition, each sweep would try to remove it, in a transaction.
const openRun = "SELECT 1 FROM runs WHERE status IN ('queued', 'running', 'waiting') AND session"

/** The statements about idempotent answers and about the retention. */
export const answerTexts = {
  answer: `SELECT fingerprint, answers.run_id, answers.status, type, body, answers.holder, host, pid, thread, heartbeat,
      runs.number AS run
    FROM answers LEFT JOIN holders ON holders.id = answers.holder LEFT JOIN runs ON runs.run_id = answers.run_id
    WHERE scope = ? AND key = ?`,
  reserveAnswer: `INSERT INTO answers (scope, key, fingerprint, holder, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, holder = excluded.holder,
      created_at = excluded.created_at, run_id = NULL, status = NULL, type = NULL, body = NULL`,
  storeAnswer: `UPDATE answers SET run_id = coalesce(?, run_id), status = coalesce(?, status),
      type = coalesce(?, type), body = coalesce(?, body) WHERE scope = ? AND key = ? AND fingerprint = ?`,
  forgetAnswer: 'DELETE FROM answers WHERE scope = ? AND key = ? AND fingerprint = ? AND holder = ?',

  // The agent id of a swarm's member contains a slash. Its session is removed after the session of the swarm.
  unusedSessions: `SELECT id, updated_at FROM sessions
    WHERE id > :after AND updated_at < :before AND instr(agent_id, '/') = 0 AND NOT EXISTS (${ofMember} = sessions.id)
      AND NOT EXISTS (${openRun} = sessions.id)
    ORDER BY id LIMIT :limit` as string,
  membersAlone: `SELECT id, updated_at FROM sessions AS own
    WHERE id > :after AND instr(agent_id, '/') > 0 AND NOT EXISTS (${ofMember} = own.id) AND NOT EXISTS (SELECT 1 FROM sessions AS whole
      WHERE whole.agent_id = substr(own.agent_id, 1, instr(own.agent_id, '/') - 1)
        AND whole.user_id = own.user_id AND whole.session_id = own.session_id)
    ORDER BY id LIMIT :limit` as string,
  ownersOfMany: `SELECT agent_id, user_id FROM sessions WHERE instr(agent_id, ':') = 0 AND instr(agent_id, '/') = 0
    GROUP BY agent_id, user_id HAVING count(*) > ?`,
  sessionsBeyond: `SELECT id, updated_at FROM (SELECT id, updated_at FROM sessions WHERE agent_id = ? AND user_id = ?
      ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?) AS beyond WHERE NOT EXISTS (${openRun} = beyond.id)` as string,
  runsOfSession: 'SELECT count(*) AS runs FROM runs WHERE session = ?',
  deleteIdleSession: `DELETE FROM sessions WHERE id = ? AND updated_at = ? AND NOT EXISTS
    (SELECT 1 FROM runs WHERE session = sessions.id AND status IN ('queued', 'running', 'waiting'))
    AND NOT EXISTS (SELECT 1 FROM runs JOIN notices ON notices.run = runs.number
      WHERE session = sessions.id AND failed IS NULL AND notices.created_at > ?)`,
  runWithEvents: 'SELECT number FROM runs WHERE has_events = 1 AND ended_at < ? LIMIT 1',
  deleteEvents: `DELETE FROM events WHERE run = :run AND seq IN
    (SELECT seq FROM events WHERE run = :run ORDER BY seq LIMIT :limit)`,
  keepLastSeq: `UPDATE runs SET last_seq = max(last_seq, coalesce((SELECT max(seq) FROM events WHERE run = number), 0))
    WHERE number = ?`,
  hasNoEvents: 'UPDATE runs SET has_events = 0 WHERE number = ?',
  deleteAnswers: `DELETE FROM answers WHERE rowid IN (SELECT answers.rowid FROM answers
      LEFT JOIN runs ON runs.run_id = answers.run_id
    WHERE answers.created_at < :before AND (runs.number IS NULL OR ended_at < :before) LIMIT :limit)`,
  // Steps from one agent to the next in the index of owners, instead of reading all of it.
  agentsOfRuns: `WITH RECURSIVE agents (id) AS (
      SELECT min(agent_id) FROM runs
      UNION ALL SELECT (SELECT min(agent_id) FROM runs WHERE agent_id > agents.id) FROM agents WHERE agents.id IS NOT NULL
    ) SELECT id FROM agents WHERE id IS NOT NULL LIMIT 1000`,
  checkpoint: 'PRAGMA wal_checkpoint(PASSIVE)',
  emptyLog: 'PRAGMA wal_checkpoint(TRUNCATE)',
  bytesInUse: `SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
} as const
