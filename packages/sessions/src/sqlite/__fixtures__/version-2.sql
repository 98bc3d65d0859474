CREATE TABLE holders (
    id TEXT NOT NULL PRIMARY KEY,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    heartbeat INTEGER NOT NULL -- milliseconds since 1970, as all times
  ) WITHOUT ROWID;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT, -- JSON
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, title TEXT, question TEXT,
    UNIQUE (agent_id, user_id, session_id)
  );
CREATE TABLE messages (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (run, position)
  );
CREATE TABLE "runs" (
    number INTEGER PRIMARY KEY, -- in the order in which they began
    run_id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL, -- of the run; the session of a run without a session has another one
    user_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'waiting', 'done', 'failed')),
    replaced INTEGER NOT NULL DEFAULT 0, -- hidden by a later run
    holder TEXT, -- the store that runs it; NULL when none does
    holds_session INTEGER NOT NULL DEFAULT 1, -- of a running one: whether no other may run in the session
    attempt INTEGER NOT NULL DEFAULT 1, -- one more with each takeover
    takeovers INTEGER NOT NULL DEFAULT 0, -- of the lost run, since it last finished a step
    is_resumable INTEGER NOT NULL DEFAULT 0,
    keeps_events INTEGER NOT NULL DEFAULT 0,
    has_events INTEGER NOT NULL DEFAULT 0, -- until they are pruned
    last_seq INTEGER NOT NULL DEFAULT 0, -- of its events that were pruned
    deadline INTEGER,
    waiting_since INTEGER, -- when the oldest of its open approvals was requested
    parent TEXT, -- a run_id
    priority INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    agent_version TEXT,
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    finish_reason TEXT,
    usage TEXT, -- JSON, as all below but the answer
    error TEXT,
    cost TEXT,
    sources TEXT,
    answer TEXT,
    state TEXT,
    options TEXT,
    progress TEXT
  );
CREATE TABLE calls (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    UNIQUE (run, call_id)
  );
CREATE TABLE approvals (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    approval_id TEXT NOT NULL,
    attempt INTEGER NOT NULL, -- that requested it last
    body TEXT NOT NULL, -- JSON
    decision TEXT, -- JSON
    decided_by TEXT,
    decided_at INTEGER,
    requested_at INTEGER NOT NULL,
    UNIQUE (run, approval_id)
  );
CREATE TABLE events (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
CREATE TABLE answers (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    run_id TEXT,
    status INTEGER, -- NULL while the request is running
    type TEXT,
    body TEXT,
    holder TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (scope, key)
  );
CREATE TABLE traces (id INTEGER PRIMARY KEY CHECK (id = 1));
INSERT INTO holders VALUES ('72a2dbba-d9fd-4161-9789-24e4bef9916e', 'host', 32218, 0, 1795503343234);
INSERT INTO sessions VALUES (1, 'helper', 'ann', 'done', 4, NULL, 1795503343199, 1795503343228, 'A title', 'Look, é!');
INSERT INTO sessions VALUES (2, 'helper', 'ann', 'waiting', 2, NULL, 1795503343229, 1795503343232, NULL, 'Pay in a session');
INSERT INTO sessions VALUES (3, 'helper', 'ann', 'lost', 1, NULL, 1795503343233, 1795503343233, NULL, 'Never answered');
INSERT INTO runs VALUES (1, 'run_9172e440-151d-4b03-8708-09fc6643bcbb', 1, 'helper', 'ann', 'done', 0, NULL, 1, 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 1795503343199, 1795503343199, 1795503343225, 'stop', '{"inputTokens":20,"outputTokens":10,"totalTokens":30}', NULL, NULL, '[]', 'I have looked.', NULL, '{"seeded":0,"run":{"budget":{}}}', NULL);
INSERT INTO runs VALUES (2, 'run_dc04e5ae-75a6-4355-bdcc-8205ff419726', 1, 'helper', 'ann', 'done', 0, NULL, 1, 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 1795503343226, 1795503343226, 1795503343228, 'stop', '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', NULL, NULL, '[]', 'Again.', NULL, '{"seeded":0,"run":{"budget":{}}}', NULL);
INSERT INTO runs VALUES (3, 'run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f', 2, 'helper', 'ann', 'waiting', 0, NULL, 0, 1, 0, 1, 1, 1, 0, NULL, 1795503343232, NULL, 0, NULL, NULL, NULL, 1795503343229, 1795503343229, NULL, NULL, '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', NULL, NULL, NULL, NULL, NULL, '{"seeded":0,"run":{"budget":{}}}', '{"snapshot":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":1,"ms":3.1289580000000115}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}},"at":1795503343232,"seq":6,"since":1795503343230,"replySeq":4,"suspended":{"version":2}}');
INSERT INTO runs VALUES (4, 'run_lost', 3, 'helper', 'ann', 'running', 0, '72a2dbba-d9fd-4161-9789-24e4bef9916e', 1, 1, 0, 1, 1, 1, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 1795503343233, 1795503343233, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"seeded":0}', NULL);
INSERT INTO messages VALUES (1, 0, '{"v":1,"role":"user","content":"Look, é!"}');
INSERT INTO messages VALUES (1, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"look","name":"look","input":{}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (1, 2, '{"v":1,"role":"tool","callId":"look","name":"look","content":"found"}');
INSERT INTO messages VALUES (1, 3, '{"v":1,"role":"assistant","content":[{"type":"text","text":"I have looked."}],"model":"test/scripted"}');
INSERT INTO messages VALUES (2, 0, '{"v":1,"role":"user","content":"And again"}');
INSERT INTO messages VALUES (2, 1, '{"v":1,"role":"assistant","content":[{"type":"text","text":"Again."}],"model":"test/scripted"}');
INSERT INTO messages VALUES (3, 0, '{"v":1,"role":"user","content":"Pay in a session"}');
INSERT INTO messages VALUES (3, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"look","name":"look","input":{}},{"type":"tool-call","callId":"pay","name":"pay","input":{}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (3, 2, '{"v":1,"role":"tool","callId":"look","name":"look","content":"found"}');
INSERT INTO messages VALUES (4, 0, '{"v":1,"role":"user","content":"Never answered"}');
INSERT INTO calls VALUES (1, 'look', 'look', 1795503343223);
INSERT INTO calls VALUES (3, 'look', 'look', 1795503343231);
INSERT INTO calls VALUES (4, 'look', 'look', 5);
INSERT INTO approvals VALUES (3, 'apr_Zk6dGDuwQHe7npQtxkDNI4', 1, '{"approvalId":"apr_Zk6dGDuwQHe7npQtxkDNI4","callId":"pay","name":"pay","input":{},"kind":"approval"}', NULL, NULL, NULL, 1795503343232);
INSERT INTO events VALUES (3, 1, '{"seq":1,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"run-start","sessionId":"waiting"}');
INSERT INTO events VALUES (3, 2, '{"seq":2,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"step-start","step":1}');
INSERT INTO events VALUES (3, 3, '{"seq":3,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"tool-call","callId":"look","name":"look","input":{}}');
INSERT INTO events VALUES (3, 4, '{"seq":4,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"tool-call","callId":"pay","name":"pay","input":{}}');
INSERT INTO events VALUES (3, 5, '{"seq":5,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"tool-result","callId":"look","name":"look","output":"found","isError":false,"durationMs":0.5200440000000981}');
INSERT INTO events VALUES (3, 6, '{"seq":6,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"approval-request","approvalId":"apr_Zk6dGDuwQHe7npQtxkDNI4","callId":"pay","name":"pay","input":{},"kind":"approval"}');
INSERT INTO events VALUES (3, 7, '{"seq":7,"runId":"run_84d25be1-4ed1-49b5-bcb9-a7c2b939229f","path":["helper"],"type":"run-end","finishReason":"approval","text":"","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15}}');
INSERT INTO events VALUES (4, 1, '{"type":"text-delta","text":"I","seq":1,"runId":"run_lost","path":["helper"]}');
INSERT INTO answers VALUES ('ann chat', 'k', 'f', 'run_lost', 200, 'text/plain', 'é', '72a2dbba-d9fd-4161-9789-24e4bef9916e', 1795503343234);
CREATE INDEX runs_of_session ON runs (session, number);
CREATE UNIQUE INDEX one_run_holds_session ON runs (session) WHERE status = 'running' AND holds_session = 1;
CREATE INDEX runs_of_owner ON runs (agent_id, user_id, number);
CREATE INDEX suspended_runs ON runs (number) WHERE holds_session = 0 AND ended_at IS NULL;
CREATE INDEX waiting_runs ON runs (waiting_since) WHERE status = 'waiting';
CREATE INDEX runs_with_events ON runs (ended_at) WHERE has_events = 1;
CREATE INDEX answers_of_run ON answers (run_id);
CREATE INDEX answers_by_age ON answers (created_at);
CREATE TRIGGER delete_answers AFTER DELETE ON runs BEGIN
    DELETE FROM answers WHERE run_id = OLD.run_id;
  END;
CREATE TRIGGER leave_traces AFTER DELETE ON sessions BEGIN
    INSERT OR IGNORE INTO traces VALUES (1);
  END;
PRAGMA user_version = 2;
