/**
 * Version 8: the queued and waiting runs of an agent or a user are listed by indexes of their own, however many others are
 * queued, and the usage of a time reads the runs of that time. Released; never changed.
 */
export const addOpenIndexes = `
  DROP INDEX suspended_runs;
  CREATE INDEX suspended_of_agent ON runs (agent_id, status, coalesce(listed, number))
    WHERE holds_session = 0 AND ended_at IS NULL AND root IS NULL;
  CREATE INDEX suspended_of_owner ON runs (agent_id, user_id, status, coalesce(listed, number))
    WHERE holds_session = 0 AND ended_at IS NULL AND root IS NULL;
  CREATE INDEX runs_by_time ON runs (agent_id, created_at) WHERE root IS NULL;
`
