/**
 * Version 6 of the schema: open runs, few among many that are queued or have ended, are listed by indexes of their own, the
 * runs of an agent are not read among those of others, and the usage of a time reads the runs of that time. Released; never
 * changed.
 */
export const openRuns = `
  -- Decided, and not taken over yet.
  CREATE INDEX decided_runs ON agentkit.runs (number) WHERE status = 'running' AND NOT holds_session;
  CREATE INDEX suspended_of_agent ON agentkit.runs (agent_id, status, (coalesce(listed, number)))
    WHERE NOT holds_session AND ended_at IS NULL AND root IS NULL;
  CREATE INDEX suspended_of_owner ON agentkit.runs (agent_id, user_id, status, (coalesce(listed, number)))
    WHERE NOT holds_session AND ended_at IS NULL AND root IS NULL;
  DROP INDEX agentkit.listed_runs;
  CREATE INDEX runs_of_agent ON agentkit.runs (agent_id, (coalesce(listed, number))) WHERE root IS NULL;
  CREATE INDEX runs_by_time ON agentkit.runs (agent_id, created_at) WHERE root IS NULL;
`
