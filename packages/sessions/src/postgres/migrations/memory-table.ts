/**
 * Version 2 of the schema: memory. Released; never changed.
 *
 * The turns that can be recalled are runs that ended as `done`, found by an index of their own. A run that is deleted,
 * replaced or expired is excluded by the same transaction.
 */
export const memoryTable = `
  CREATE INDEX recalled_runs ON agentkit.runs (agent_id, user_id, ended_at)
    WHERE status = 'done' AND NOT replaced AND root IS NULL;

  CREATE TABLE agentkit.memory (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL, -- '' of the row that says up to when turns are forgotten
    text text NOT NULL,
    run bigint REFERENCES agentkit.runs ON DELETE CASCADE ON UPDATE CASCADE, -- in which the note was made
    created_at bigint NOT NULL,
    UNIQUE (agent_id, user_id, note_id)
  );
  CREATE INDEX memory_of_run ON agentkit.memory (run) WHERE run IS NOT NULL;
  CREATE FUNCTION agentkit.forget_replaced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM agentkit.memory WHERE run = NEW.number;
    RETURN NULL;
  END $$;
  CREATE TRIGGER forget_replaced AFTER UPDATE OF replaced ON agentkit.runs
    FOR EACH ROW WHEN (NEW.replaced) EXECUTE FUNCTION agentkit.forget_replaced();
`
