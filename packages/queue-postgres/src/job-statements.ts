import { now, queueName, renewAfterHours, table } from './settings.ts'

const ofToken = `name = '${queueName}' AND state = 'active' AND id::text || ' ' || retry_count`

/** Returns a job, like pg-boss's `fail`, which deletes the row and inserts it again, with a due time. */
export const returnJob: string = `UPDATE ${table} SET state = 'retry', heartbeat_on = NULL, start_after = ${now} + $2 * interval '1 ms'
  WHERE id = split_part($1, ' ', 1)::uuid AND ${ofToken} = $1`

export const renewJobs: string = `UPDATE ${table} SET started_on = ${now}
  WHERE ${ofToken} = ANY($1::text[]) AND started_on < ${now} - interval '${renewAfterHours} hours'`

export const removeJobs: string = `DELETE FROM ${table}
  WHERE name = '${queueName}' AND state < 'active' AND data->>'runId' = ANY($1::text[])`

export const clearAgents: string = `DELETE FROM ${table}
  WHERE name = '${queueName}' AND state <= 'active' AND group_tier = ANY($1::text[])`

export const missingRuns: string = `SELECT run_id AS id FROM unnest($1::text[]) AS run(run_id)
  WHERE NOT EXISTS (SELECT FROM ${table} WHERE name = '${queueName}' AND state <= 'active' AND data->>'runId' = run_id)`

export const countJobs: string = `SELECT group_tier AS "agentId", count(*) FILTER (WHERE state < 'active')::int AS queued,
    count(*) FILTER (WHERE state = 'active')::int AS taken,
    COALESCE(extract(epoch FROM ${now} - min(GREATEST(created_on, start_after))
      FILTER (WHERE state < 'active' AND start_after <= ${now})) * 1000, 0)::float8 AS "oldestMs"
  FROM ${table} WHERE name = '${queueName}' AND state <= 'active' GROUP BY group_tier ORDER BY group_tier`
