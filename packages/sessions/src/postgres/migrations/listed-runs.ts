/**
 * Version 4 of the schema: the place of a run in lists, which stays where it was when a queued run begins and gets a new
 * number. Released; never changed.
 */
export const listedRuns = `
  ALTER TABLE agentkit.runs ADD COLUMN listed bigint; -- the number that it had when it was accepted; NULL where it has it still
  DROP INDEX agentkit.runs_of_owner;
  CREATE INDEX runs_of_owner ON agentkit.runs (agent_id, user_id, (coalesce(listed, number)));
  DROP INDEX agentkit.open_background;
  CREATE INDEX open_background ON agentkit.runs ((coalesce(listed, number))) WHERE is_background AND ended_at IS NULL;
  CREATE INDEX listed_runs ON agentkit.runs ((coalesce(listed, number))) WHERE root IS NULL;
`
