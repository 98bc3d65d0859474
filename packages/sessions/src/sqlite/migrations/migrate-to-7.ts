/**
 * Version 7: pages of sessions, of all runs of an agent and of its or a user's failed ones are read by indexes of their own,
 * however many others there are. Released; never changed.
 */
export const addPageIndexes = `
  CREATE INDEX sessions_of_owner ON sessions (agent_id, user_id, updated_at);
  DROP INDEX listed_runs;
  CREATE INDEX runs_of_agent ON runs (agent_id, coalesce(listed, number)) WHERE root IS NULL;
  CREATE INDEX failed_runs ON runs (agent_id, coalesce(listed, number)) WHERE status = 'failed' AND root IS NULL;
  CREATE INDEX failed_runs_of_owner ON runs (agent_id, user_id, coalesce(listed, number))
    WHERE status = 'failed' AND root IS NULL;
`
