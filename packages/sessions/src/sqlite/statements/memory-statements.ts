const ofClear = `FROM memory WHERE agent_id = :agentId AND user_id = :userId AND note_id = ''`
/** The time at which the memory was cleared, and the last run at that time: another one may begin in the same millisecond. */
const forgotten = `coalesce((SELECT created_at ${ofClear}), -1), coalesce((SELECT CAST(text AS INTEGER) ${ofClear}), 0)`
/**
 * A run without a session has a hidden one under another agent id; the agent id of a member's session contains a slash. A
 * run that had begun when the memory was cleared is not recalled, whenever it ends: its question is from before.
 */
const recalled = `runs.agent_id = :agentId AND runs.user_id = :userId AND status = 'done' AND replaced = 0 AND runs.root IS NULL
  AND ended_at >= :since AND (runs.created_at, runs.number) > (${forgotten}) AND sessions.agent_id = runs.agent_id`
const ofOwner = 'agent_id = :agentId AND user_id = :userId'

const hasRuns = `EXISTS (SELECT 1 FROM runs WHERE ${ofOwner})`

/** The statements about memory. `as string`, because the compiler does not infer the type of a template for declarations. */
export const memoryTexts = {
  recalledTurns: `SELECT number, ended_at FROM runs JOIN sessions ON sessions.id = runs.session
    WHERE ${recalled} ORDER BY ended_at, number` as string,
  // The join begins with the run numbers, in this order of the tables: otherwise SQLite reads all runs of the owner.
  // Tool results are not needed. The statement skips most of them; the code checks the role again.
  readRecalled: `SELECT number, run_id, session_id, ended_at, body
    FROM json_each(:ids) AS wanted CROSS JOIN runs ON runs.number = wanted.value
      JOIN sessions ON sessions.id = runs.session JOIN messages ON messages.run = runs.number
    WHERE ${recalled} AND instr(substr(body, 1, 40), '"role":"tool"') = 0
    ORDER BY number, position` as string,
  notes:
    `SELECT note_id, text, memory.created_at, run_id, iif(sessions.agent_id = runs.agent_id, session_id, NULL) AS session_id
    FROM memory LEFT JOIN runs ON runs.number = memory.run LEFT JOIN sessions ON sessions.id = runs.session
    WHERE memory.agent_id = :agentId AND memory.user_id = :userId AND note_id <> '' ORDER BY memory.id` as string,
  countNotes: `SELECT count(*) AS notes, coalesce(max(note_id = :noteId), 0) AS is_there FROM memory
    WHERE ${ofOwner} AND note_id <> ''` as string,
  // A member's run is part of the run that calls it.
  addNote: `INSERT INTO memory (agent_id, user_id, note_id, text, run, created_at)
    VALUES (:agentId, :userId, :noteId, :text, coalesce((SELECT number FROM runs WHERE run_id = :runId),
      (SELECT number FROM runs WHERE run_id = :rootId)), :now)`,
  removeNote: `DELETE FROM memory WHERE ${ofOwner} AND note_id = :noteId` as string,
  clearMemory: `DELETE FROM memory WHERE ${ofOwner}` as string,
  // Where the clock was set back, the newest run is from a later time. Without runs there is nothing to forget, and the user is
  // not named in the file.
  forgetTurns: `INSERT INTO memory (agent_id, user_id, note_id, text, created_at)
    SELECT :agentId, :userId, '', (SELECT max(number) FROM runs),
      max(:now, (SELECT max(created_at) FROM runs WHERE ${ofOwner})) WHERE ${hasRuns}` as string,
  /** Removes the row of `forgetTurns` with the owner's last run. */
  dropForgotten: `DELETE FROM memory WHERE ${ofOwner} AND note_id = '' AND NOT ${hasRuns}` as string,
} as const
