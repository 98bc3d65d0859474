/**
 * Version 4: memory. Released; never changed.
 *
 * The turns that can be recalled are runs that ended as `done`, found by an index of their own. A run that is deleted,
 * replaced or expired is excluded by the same transaction.
 */
export const addMemory = `
  CREATE INDEX recalled_runs ON runs (agent_id, user_id, ended_at) WHERE status = 'done' AND replaced = 0 AND root IS NULL;

  CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    note_id TEXT NOT NULL, -- '' of the row that says up to when turns are forgotten
    text TEXT NOT NULL,
    run INTEGER REFERENCES runs (number) ON DELETE CASCADE ON UPDATE CASCADE, -- in which the note was made
    created_at INTEGER NOT NULL,
    UNIQUE (agent_id, user_id, note_id)
  );
  CREATE INDEX memory_of_run ON memory (run) WHERE run IS NOT NULL;
  CREATE TRIGGER forget_replaced AFTER UPDATE OF replaced ON runs WHEN NEW.replaced = 1 BEGIN
    DELETE FROM memory WHERE run = NEW.number;
  END;
  CREATE TRIGGER leave_traces_of_notes AFTER DELETE ON memory BEGIN
    INSERT OR IGNORE INTO traces VALUES (1);
  END;
`
