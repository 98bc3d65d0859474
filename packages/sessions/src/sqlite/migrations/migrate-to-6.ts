/**
 * Version 6: the place of a run in lists, which stays where it was when a queued run begins behind later turns. Released;
 * never changed.
 */
export const addListed = `
  ALTER TABLE runs ADD COLUMN listed INTEGER; -- the number that it had when it was accepted; NULL where it has it still
  DROP INDEX runs_of_owner;
  CREATE INDEX runs_of_owner ON runs (agent_id, user_id, coalesce(listed, number));
  DROP INDEX suspended_runs;
  CREATE INDEX suspended_runs ON runs (coalesce(listed, number)) WHERE holds_session = 0 AND ended_at IS NULL;
  DROP INDEX open_background;
  CREATE INDEX open_background ON runs (coalesce(listed, number)) WHERE is_background = 1 AND ended_at IS NULL;
  CREATE INDEX listed_runs ON runs (coalesce(listed, number)) WHERE root IS NULL;
`
