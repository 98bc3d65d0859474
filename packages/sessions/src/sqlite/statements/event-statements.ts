/** The statements about events, including events of members' runs. */
export const eventTexts = {
  addEvent: 'INSERT OR IGNORE INTO events (run, seq, body) VALUES (?, ?, ?)',
  addTreeEvent: 'INSERT INTO events (run, seq, body, member) VALUES (?, ?, ?, ?)',
  /** For background runs: the stream that has the events of a run, and the run's own last stored event. */
  streamOfRun: `SELECT own.last_seq AS own, root.number AS stream, root.run_id AS root, root.last_seq AS pruned,
      (SELECT max(seq) FROM events WHERE run = root.number) AS last
    FROM runs AS own JOIN runs AS root ON root.run_id = coalesce(own.root, own.run_id) WHERE own.number = ?`,
  setOwnSeq: 'UPDATE runs SET last_seq = ? WHERE number = ?',

  placeOfEvents: `SELECT number, (SELECT number FROM runs AS root WHERE root.run_id = runs.root) AS root
    FROM runs WHERE run_id = ?`,
  events: 'SELECT seq, body FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?',
  // Each end by itself: SQLite reads all events to find both at once.
  eventRange: `SELECT (SELECT min(seq) FROM events WHERE run = :run) AS oldest,
      (SELECT max(seq) FROM events WHERE run = :run) AS last`,
  eventsOfMember: 'SELECT seq, body FROM events WHERE member = ? AND run = ? AND seq > ? ORDER BY seq LIMIT ?',
  eventRangeOfMember: `SELECT (SELECT min(seq) FROM events WHERE member = :member AND run = :run) AS oldest,
      (SELECT max(seq) FROM events WHERE member = :member AND run = :run) AS last`,
} as const
