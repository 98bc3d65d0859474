const aliveness = 'runs.holder, host, pid, thread, heartbeat'

/**
 * The columns that a change of a run needs. The large columns are not read: the columns after them have the values 0, 1
 * or NULL, which SQLite reads from the header of the row.
 */
const heads = `SELECT number, run_id, session, status, replaced, holds_session, attempt, takeovers, is_resumable,
    keeps_events, is_background, awaits_members, notifies, ${aliveness}
  FROM runs LEFT JOIN holders ON holders.id = runs.holder`

const records = `SELECT number, run_id, runs.agent_id, runs.user_id, sessions.agent_id AS session_agent_id, session_id,
    status, replaced, attempt, takeovers, is_resumable, keeps_events, last_seq, deadline, parent, agent_version, is_background,
    awaits_members, root, runs.holder, priority,
    runs.created_at, started_at, ended_at, finish_reason, usage, error, cost, sources`
const ofSessions = 'FROM runs JOIN sessions ON sessions.id = runs.session'
/** The place of a run in lists: the number of a queued run changes when it begins. */
const place = 'coalesce(listed, number)'
// Runs of members are part of the run that they are called by.
const newestFirst = `root IS NULL AND ${place} < ? AND (? IS NULL OR status = ?) ORDER BY ${place} DESC LIMIT ?`
/** In the order of lists by an index of each status: runs of one may be few among many of the other, or among queued ones. */
const endedRunsOf = (owner: string, index: string): string => `${records}
  FROM runs INDEXED BY ${index} JOIN sessions ON sessions.id = runs.session
  WHERE ${owner} AND status = :status AND status IN ('done', 'failed') AND root IS NULL AND ${place} < :before
  ORDER BY ${place} DESC LIMIT :limit`
/** Each half by its index: few runs are running. */
const runningRunsOf = (owner: string): string => {
  const half = (index: string, holdsSession: 0 | 1): string => `${records}, ${place} AS place
    FROM runs INDEXED BY ${index} JOIN sessions ON sessions.id = runs.session
    WHERE status = 'running' AND holds_session = ${holdsSession} AND ${owner} AND root IS NULL AND ${place} < :before`
  return `${half('one_run_holds_session', 1)} UNION ALL ${half('decided_runs', 0)} ORDER BY place DESC LIMIT :limit`
}
/** In the order of lists by an index, so that a page of many queued or waiting runs reads no more than its own. */
const suspendedRunsOf = (owner: string, index: string): string => `${records}
  FROM runs INDEXED BY ${index} JOIN sessions ON sessions.id = runs.session
  WHERE ${owner} AND status = :status AND holds_session = 0 AND ended_at IS NULL AND root IS NULL AND ${place} < :before
  ORDER BY ${place} DESC LIMIT :limit`
// Uses the indexes of both conditions: few of the many runs are running.
const isRunning = `number IN (SELECT number FROM runs WHERE status = 'running' AND holds_session = 1
    UNION ALL SELECT number FROM runs WHERE status = 'running' AND holds_session = 0)`

const inUsage = 'runs.root IS NULL AND runs.agent_id = :agentId AND runs.created_at >= :from AND runs.created_at < :to'
const ofUsage = `FROM runs JOIN sessions ON sessions.id = runs.session WHERE ${inUsage}`
/** A user's own: SQLite would read the runs of all in the time. */
const ofUsageOfUser = `FROM runs INDEXED BY runs_of_owner_by_time JOIN sessions ON sessions.id = runs.session
  WHERE ${inUsage} AND runs.user_id = :userId`
/** A damaged value counts as none. */
const field = (column: string, name: string): string =>
  `sum(CAST(iif(json_valid(${column}), json_extract(${column}, '$.${name}'), NULL) AS REAL))`
const usageBy = (
  key: string,
  user = 'NULL',
  runs = ofUsage,
): string => `SELECT ${key} AS key, ${user} AS user_id, count(*) AS runs,
    ${field('usage', 'inputTokens')} AS input, ${field('usage', 'outputTokens')} AS output, ${field('cost', 'usd')} AS usd
  ${runs} GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit`
const day = "strftime('%Y-%m-%d', runs.created_at / 1000, 'unixepoch')"
const lastModel = `(SELECT iif(json_valid(body), json_extract(body, '$.model'), NULL) FROM messages
  WHERE run = runs.number AND body LIKE '%"role":"assistant"%' ORDER BY position DESC LIMIT 1)`
// The session of a run without one has another agent.
const ownSession = 'iif(sessions.agent_id = runs.agent_id, session_id, NULL)'

/**
 * The statements about runs. `as string`, because the compiler does not infer the type of a template for declarations.
 */
export const runTexts = {
  run: `${heads} WHERE run_id = ?` as string,
  writtenRun: `SELECT number, session, status, attempt, takeovers, keeps_events, holder, is_background, notifies,
      (SELECT max(position) FROM messages WHERE run = number) AS last_position
    FROM runs WHERE run_id = ?`,
  activeRun: `${heads} WHERE session = ? AND status = 'running' AND holds_session = 1` as string,
  runsFrom: `${heads} WHERE session = ? AND number >= ? AND replaced = 0` as string,
  openRuns: `${heads.replace('SELECT', 'SELECT agent_id,')}
    WHERE agent_id IN (SELECT value FROM json_each(?)) AND ${isRunning} AND is_background = 0
    ORDER BY holder IS NOT NULL, number` as string,
  waitingBefore: `SELECT run_id FROM runs
    WHERE status = 'waiting' AND waiting_since < ? AND root IS NULL AND +agent_id IN (SELECT value FROM json_each(?))
    ORDER BY waiting_since LIMIT 100`,

  addRun: `INSERT INTO runs (run_id, session, agent_id, user_id, status, holder, created_at, started_at, is_resumable,
      keeps_events, has_events, deadline, agent_version, options, progress, notifies)
    VALUES (:runId, :session, :agentId, :userId, 'running', :holder, :now, :now, :isResumable,
      :keepsEvents, :keepsEvents, :deadline, :agentVersion, :options, :progress, :notifies) RETURNING number`,
  /** Changes nothing where a value is NULL. */
  updateRun: `UPDATE runs SET usage = coalesce(:usage, usage), state = coalesce(:state, state),
      progress = coalesce(:progress, progress), takeovers = iif(:isFinished, 0, takeovers)
    WHERE number = :number`,
  takeRun: `UPDATE runs SET status = 'running', holder = :holder, holds_session = 1, attempt = attempt + 1,
      takeovers = takeovers + :isLost, waiting_since = NULL, has_events = keeps_events, awaits_members = 0,
      started_at = coalesce(started_at, :now)
    WHERE number = :number`,
  endRun: `UPDATE runs SET status = :status, holder = NULL, waiting_since = NULL, ended_at = :now,
      finish_reason = :finishReason, error = :error, usage = coalesce(:usage, usage), cost = :cost,
      sources = :sources, answer = :answer
    WHERE number = :number`,
  setCost: 'UPDATE runs SET cost = ? WHERE number = ?',
  endTurn: `UPDATE runs SET status = :status, holds_session = iif(:status = 'waiting', 0, holds_session), holder = NULL,
      usage = coalesce(:usage, usage), ended_at = :endedAt, waiting_since = :waitingSince WHERE number = :number`,
  /** A run with an open approval waits; without one it is free. */
  suspendRun: `UPDATE runs SET holds_session = 0, holder = NULL,
      (status, waiting_since) = (SELECT iif(count(*) = 0, 'running', 'waiting'), min(requested_at) FROM approvals
        WHERE run = number AND decision IS NULL AND approvals.attempt = runs.attempt)
    WHERE number = ? RETURNING status`,
  releaseRun: 'UPDATE runs SET holder = NULL WHERE number = ?',
  replaceRun: 'UPDATE runs SET replaced = 1 WHERE number = ?',
  /** The ids of members begin with the id of the run and a slash. In ASCII, `0` is the next character after `/`. */
  replaceMembers: 'UPDATE runs SET replaced = 1 WHERE run_id >= ? AND run_id < ? RETURNING session',
  restoreSessionState: `UPDATE sessions SET state = (SELECT runs.state FROM runs WHERE runs.session = sessions.id
      AND replaced = 0 AND runs.state IS NOT NULL ORDER BY number DESC LIMIT 1) WHERE id = ?`,
  forgetQuestion: `UPDATE sessions SET question = NULL
    WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE session = sessions.id AND replaced = 0)`,
  makeResumable: 'UPDATE runs SET is_resumable = 1 WHERE number = ?',

  addCall: `INSERT INTO calls (run, call_id, name, started_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (run, call_id) DO UPDATE SET name = excluded.name, started_at = excluded.started_at`,
  calls: 'SELECT call_id, name, started_at FROM calls WHERE run = ? ORDER BY rowid',

  addApproval: `INSERT INTO approvals (run, approval_id, attempt, body, requested_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (run, approval_id) DO UPDATE SET attempt = excluded.attempt, body = excluded.body`,
  approvals: `SELECT approval_id, attempt, body, decision, decided_by, decided_at FROM approvals
    WHERE run = ? ORDER BY rowid`,
  approval: 'SELECT decision, decided_by, decided_at FROM approvals WHERE run = ? AND approval_id = ?',
  decide: `UPDATE approvals SET decision = ?, decided_by = ?, decided_at = ? WHERE run = ? AND approval_id = ?`,
  isDecided: `SELECT 1 FROM approvals JOIN runs ON number = run
    WHERE run = ? AND decision IS NOT NULL AND approvals.attempt = runs.attempt LIMIT 1`,

  storedRun: `${records}, answer, options, progress ${ofSessions} WHERE run_id = ?` as string,
  numberOfRun: 'SELECT number FROM runs WHERE run_id = ?',
  placeInLists: `SELECT ${place} AS place FROM runs WHERE run_id = ?` as string,
  placeOfOwner: `SELECT ${place} AS place FROM runs
    WHERE run_id = ? AND agent_id = ? AND user_id = coalesce(?, user_id)` as string,
  idOfRun: 'SELECT run_id FROM runs WHERE number = ?',
  runsOfAgent: `${records} ${ofSessions} WHERE runs.agent_id = ? AND ${newestFirst}` as string,
  endedRunsOfAgent: endedRunsOf('runs.agent_id = :agentId', 'ended_of_agent') as string,
  runningRunsOfAgent: runningRunsOf('runs.agent_id = :agentId') as string,
  suspendedRunsOfAgent: suspendedRunsOf('runs.agent_id = :agentId', 'suspended_of_agent') as string,
  runsOfOwner: `${records} ${ofSessions} WHERE runs.agent_id = ? AND runs.user_id = ? AND ${newestFirst}` as string,
  endedRunsOfOwner: endedRunsOf('runs.agent_id = :agentId AND runs.user_id = :userId', 'ended_of_owner') as string,
  runningRunsOfOwner: runningRunsOf('runs.agent_id = :agentId AND runs.user_id = :userId') as string,
  suspendedRunsOfOwner: suspendedRunsOf(
    'runs.agent_id = :agentId AND runs.user_id = :userId',
    'suspended_of_owner',
  ) as string,
  runsOfUserSession: `${records} ${ofSessions} WHERE session =
    (SELECT id FROM sessions WHERE agent_id = ? AND user_id = ? AND session_id = ?) AND ${newestFirst}` as string,
  countUsage: `SELECT count(*) AS count FROM (SELECT 1 ${ofUsage} LIMIT :limit)` as string,
  countUsageOfUser: `SELECT count(*) AS count FROM (SELECT 1 ${ofUsageOfUser} LIMIT :limit)` as string,
  usageByDay: usageBy(day) as string,
  usageByDayOfUser: usageBy(day, 'NULL', ofUsageOfUser) as string,
  usageByModel: usageBy(lastModel) as string,
  usageByModelOfUser: usageBy(lastModel, 'NULL', ofUsageOfUser) as string,
  usageBySession: usageBy(ownSession, 'runs.user_id') as string,
  usageBySessionOfUser: usageBy(ownSession, 'runs.user_id', ofUsageOfUser) as string,
  runsOfSessions: `${records} ${ofSessions} WHERE session IN
    (SELECT id FROM sessions WHERE agent_id = ? AND session_id = ?) AND ${newestFirst}` as string,
} as const
