import { now, queueName, table } from './settings.ts'

/** Most takes find nothing: they end here, also when many jobs wait for their time. */
const anyDue = `SELECT FROM ${table}
  WHERE name = '${queueName}' AND state IN ('created', 'retry') AND NOT blocked AND start_after <= ${now}`

/**
 * The condition of a job of the current agent and user: it is due, and no job of its session is taken. It uses the
 * index `agentkit_turns`.
 */
const isReady = `state < 'active' AND group_tier = agent AND group_id = user_id AND NOT blocked AND start_after <= ${now}
  AND singleton_key NOT IN (SELECT singleton_key FROM taken_now)`

/** The place of a job among the jobs of its session. */
const orderOf = `(data->>'order')::bigint`

/**
 * Takes jobs as pg-boss's `fetch` does, in another order. `fetch` goes by priority and time over all users, and of several
 * jobs of one session or user in a batch it takes any of them (those with the lowest random id, in 12.38).
 *
 * Users take turns: first comes the job of the user who would have the fewest taken with it. So a user has more than
 * others only while the others have no jobs. Equal users come in the order of their ids, after the user who was last.
 *
 * A session comes as early as the most important of its jobs, and its first job is taken: another one could not begin.
 *
 * Users with jobs are found by steps over an index, and not more of them than can be served, so that 10,000 jobs of one
 * user cost no more than a few.
 *
 * $1 the agents, $2 the last user, $3 how many jobs, $4 how many users are looked at
 */
export const takeJobs: string = `
WITH RECURSIVE taken_now AS MATERIALIZED (
  SELECT group_id, singleton_key FROM ${table} WHERE name = '${queueName}' AND state = 'active'
), steps AS (
  SELECT agent, $2::text AS user_id, 0 AS lap FROM unnest($1::text[]) agent WHERE EXISTS (${anyDue})
  UNION ALL
  SELECT agent, COALESCE(next.user_id, ''), lap + CASE WHEN next.user_id IS NULL THEN 1 ELSE 0 END
  FROM steps LEFT JOIN LATERAL (
    SELECT group_id AS user_id FROM ${table}
    WHERE state < 'active' AND group_tier = agent AND group_id > steps.user_id ORDER BY group_tier, group_id LIMIT 1
  ) next ON true
  WHERE lap = 0 OR (lap = 1 AND steps.user_id <= $2)
), users AS (
  SELECT steps.* FROM steps CROSS JOIN LATERAL (SELECT FROM ${table} WHERE ${isReady} LIMIT 1) any_job
  WHERE (lap = 0 AND user_id > $2) OR (lap = 1 AND user_id <= $2 AND user_id > '')
  LIMIT $4
), ready AS (
  SELECT of_user.* FROM users CROSS JOIN LATERAL (
    SELECT id, user_id, lap, singleton_key, priority, created_on FROM ${table}
    WHERE ${isReady} ORDER BY group_tier, group_id, priority DESC, created_on, id LIMIT $3
  ) of_user
), sessions AS (
  SELECT DISTINCT ON (singleton_key) * FROM ready ORDER BY singleton_key, priority DESC, created_on, id
), heads AS (
  SELECT sessions.*, head.id AS head_id FROM sessions CROSS JOIN LATERAL (
    SELECT id FROM ${table} job
    WHERE state < 'active' AND job.singleton_key = sessions.singleton_key
      AND NOT blocked AND start_after <= ${now} ORDER BY ${orderOf}, id LIMIT 1
  ) head
), placed AS (
  SELECT head_id AS id, user_id, lap, (SELECT count(*) FROM taken_now WHERE group_id = user_id)
    + row_number() OVER (PARTITION BY user_id ORDER BY priority DESC, created_on, id) AS place
  FROM heads
), chosen AS (
  SELECT job.id, place, lap FROM placed JOIN ${table} job ON job.name = '${queueName}' AND job.id = placed.id
  WHERE job.state < 'active' ORDER BY place, lap, user_id LIMIT $3 FOR UPDATE OF job SKIP LOCKED
), taken AS (
  UPDATE ${table} job SET state = 'active', started_on = ${now}, heartbeat_on = ${now},
    retry_count = retry_count + CASE WHEN started_on IS NULL THEN 0 ELSE 1 END
  FROM chosen WHERE job.name = '${queueName}' AND job.id = chosen.id
  RETURNING job.id, retry_count, data, group_tier, group_id, place, lap
)
SELECT id, retry_count AS "retryCount", data, group_tier AS "agentId", group_id AS "group",
  (SELECT count(*) FROM users) < $4 AND (SELECT count(*) FROM ready) = (SELECT count(*) FROM heads) AS "isAll"
FROM taken ORDER BY place, lap, group_id`

/** SQL: the agents among $1 that have a job that is due. */
export const agentsWithJobs: string = `SELECT agent AS id FROM unnest($1::text[]) AS asked(agent)
  WHERE EXISTS (${anyDue}) AND EXISTS (SELECT FROM ${table}
    WHERE state < 'active' AND group_tier = agent AND NOT blocked AND start_after <= ${now})`

export type TakenRow = {
  id: string
  retryCount: number
  data: { runId: string; user: string }
  agentId: string
  group: string
  /** Whether all jobs were looked at: not so when there are more users, or more jobs behind several of one session. */
  isAll: boolean
}

/** Indexes for our own statements. pg-boss ignores those that it does not know. */
export const indexes: Readonly<Record<string, string>> = {
  agentkit_turns: `(group_tier, group_id, priority DESC, created_on, id, start_after) WHERE state < 'active'`,
  agentkit_session: `(singleton_key, (${orderOf}), id) WHERE state < 'active'`,
  agentkit_run: `((data->>'runId')) WHERE state <= 'active'`,
}
