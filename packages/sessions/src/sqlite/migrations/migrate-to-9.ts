const isCounted = (row: string): string => `${row}.is_background = 1 AND ${row}.root IS NULL`

const count = (row: string): string => `
    INSERT INTO run_counts (agent_id, status, runs, attempts) VALUES (${row}.agent_id, ${row}.status, 1, ${row}.attempt)
      ON CONFLICT (agent_id, status) DO UPDATE SET runs = runs + 1, attempts = attempts + excluded.attempts;`

const uncount = (row: string): string => `
    UPDATE run_counts SET runs = runs - 1, attempts = attempts - ${row}.attempt
      WHERE agent_id = ${row}.agent_id AND status = ${row}.status;`

/**
 * Version 9: background runs are counted as they change, runs that have ended are listed by status, and those of other
 * agents or users are not read, however many there are. Released; never changed.
 */
export const addRunCounts: string = `
  -- The background runs of agents, without the runs of members. A row may say 0.
  CREATE TABLE run_counts (
    agent_id TEXT NOT NULL,
    status TEXT NOT NULL,
    runs INTEGER NOT NULL,
    attempts INTEGER NOT NULL, -- of all of them
    PRIMARY KEY (agent_id, status)
  ) WITHOUT ROWID;
  INSERT INTO run_counts (agent_id, status, runs, attempts)
    SELECT agent_id, status, count(*), sum(attempt) FROM runs WHERE ${isCounted('runs')} GROUP BY agent_id, status;
  DROP INDEX background_counts;
  CREATE TRIGGER count_added AFTER INSERT ON runs WHEN ${isCounted('NEW')} BEGIN ${count('NEW')}
  END;
  CREATE TRIGGER count_removed AFTER DELETE ON runs WHEN ${isCounted('OLD')} BEGIN ${uncount('OLD')}
  END;
  CREATE TRIGGER count_changed AFTER UPDATE OF status, attempt ON runs WHEN ${isCounted('OLD')} BEGIN ${uncount('OLD')} ${count('NEW')}
  END;
  -- A run that was begun directly is retried by a worker.
  CREATE TRIGGER count_retried AFTER UPDATE OF is_background ON runs
    WHEN OLD.is_background = 0 AND ${isCounted('NEW')} BEGIN ${count('NEW')}
  END;
  CREATE INDEX queued_of_agent ON runs (agent_id, ready_at) WHERE status = 'queued' AND is_background = 1 AND root IS NULL;

  -- With the agent, so that the runs of others are passed over within the index.
  DROP INDEX open_background;
  CREATE INDEX open_background ON runs (coalesce(listed, number), agent_id) WHERE is_background = 1 AND ended_at IS NULL;
  DROP INDEX waiting_runs;
  CREATE INDEX waiting_runs ON runs (waiting_since, agent_id) WHERE status = 'waiting' AND root IS NULL;

  DROP INDEX failed_runs;
  DROP INDEX failed_runs_of_owner;
  CREATE INDEX ended_of_agent ON runs (agent_id, status, coalesce(listed, number))
    WHERE status IN ('done', 'failed') AND root IS NULL;
  CREATE INDEX ended_of_owner ON runs (agent_id, user_id, status, coalesce(listed, number))
    WHERE status IN ('done', 'failed') AND root IS NULL;
  CREATE INDEX runs_of_owner_by_time ON runs (agent_id, user_id, created_at) WHERE root IS NULL;
  CREATE INDEX due_schedules ON schedules (agent_id, next_at);
`
