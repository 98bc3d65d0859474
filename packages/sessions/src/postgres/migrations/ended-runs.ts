/**
 * Version 7 of the schema: runs that have ended are listed by status, and neither those of other agents are read to find open
 * ones, nor all queued runs to find the oldest, nor all schedules to find those that are due. Released; never changed.
 */
export const endedRuns = `
  DROP INDEX agentkit.failed_runs;
  CREATE INDEX ended_of_agent ON agentkit.runs (agent_id, status, (coalesce(listed, number)))
    WHERE status IN ('done', 'failed') AND root IS NULL;
  CREATE INDEX ended_of_owner ON agentkit.runs (agent_id, user_id, status, (coalesce(listed, number)))
    WHERE status IN ('done', 'failed') AND root IS NULL;
  -- With the agent, so that the runs of others are passed over within the index.
  DROP INDEX agentkit.open_background;
  CREATE INDEX open_background ON agentkit.runs ((coalesce(listed, number)), agent_id) WHERE is_background AND ended_at IS NULL;
  DROP INDEX agentkit.waiting_runs;
  CREATE INDEX waiting_runs ON agentkit.runs (waiting_since, agent_id) WHERE status = 'waiting' AND root IS NULL;
  CREATE INDEX queued_of_agent ON agentkit.runs (agent_id, ready_at)
    WHERE status = 'queued' AND is_background AND root IS NULL;
  CREATE INDEX due_schedules ON agentkit.schedules (agent_id, next_at);
`
