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
    updated_at INTEGER NOT NULL,
    UNIQUE (agent_id, user_id, session_id)
  );
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, -- in the order in which they began
    run_id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'waiting')),
    holder TEXT NOT NULL,
    usage TEXT, -- JSON
    state TEXT, -- JSON
    created_at INTEGER NOT NULL
  );
CREATE INDEX runs_of_session ON runs (session, number);
CREATE UNIQUE INDEX one_running_run ON runs (session) WHERE status = 'running';
CREATE TABLE messages (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (run, position)
  );
INSERT INTO holders VALUES ('27bdf64e-61a7-4602-9626-35b07369d781', 'elsewhere', 20520, 0, 1795460391822);
INSERT INTO sessions VALUES (1, 'helper', 'ann', 'done', 4, NULL, 1795460391633, 1795460391723);
INSERT INTO sessions VALUES (2, 'helper', 'ann', 'failed', 2, NULL, 1795460391724, 1795460391761);
INSERT INTO sessions VALUES (3, 'helper', 'ann', 'waiting', 2, '{"@agentkit/waiting":{"agentId":"helper","userId":"ann","sessionId":"waiting","seeded":0,"version":2,"parkedAt":1795460391779,"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":1,"ms":17.56882799999994}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}}}}', 1795460391762, 1795460391779);
INSERT INTO sessions VALUES (4, 'helper:waiting', 'ann', 'run_ded65805-b1fb-490a-8b7f-d5609556dcd4', 2, '{"@agentkit/waiting":{"agentId":"helper","userId":"ann","seeded":0,"version":2,"parkedAt":1795460391798,"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":1,"ms":18.087755000000016}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}}}}', 1795460391798, 1795460391799);
INSERT INTO sessions VALUES (5, 'team', 'ann', 'team', 2, '{"@agentkit/waiting":{"agentId":"team","userId":"ann","sessionId":"team","seeded":0,"version":2,"parkedAt":1795460391820,"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":40,"outputTokens":20,"totalTokens":60},"usd":0,"unpriced":true,"modelCalls":4,"toolCalls":2,"ms":6.824069999999892}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":2,"sources":[],"warnings":[],"misfits":0,"books":{}},"members":{"c2":{"approvals":[{"approvalId":"c2/1-pay","callId":"pay","name":"pay","kind":"approval","input":{},"path":["payer"]}],"history":[],"messages":[{"v":1,"role":"user","content":"Pay it"},{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"pay","name":"pay","input":{}}],"model":"test/scripted"}],"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":0,"ms":0.5199439999998958}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}}}}}}}', 1795460391813, 1795460391820);
INSERT INTO sessions VALUES (6, 'team/clerk', 'ann', 'team', 2, NULL, 1795460391817, 1795460391818);
INSERT INTO sessions VALUES (7, 'helper', 'ann', 'running', 1, NULL, 1795460391822, 1795460391822);
INSERT INTO runs VALUES (1, 'run_66387b8b-af24-4992-933b-fee3542946aa', 1, 'done', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":20,"outputTokens":10,"totalTokens":30}', NULL, 1795460391633);
INSERT INTO runs VALUES (2, 'run_d1cfc50c-4a60-47b3-9732-a2923f53eff0', 1, 'done', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', NULL, 1795460391712);
INSERT INTO runs VALUES (3, 'run_4c7e9047-8517-490c-b0b3-3ff901c268c3', 2, 'failed', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', NULL, 1795460391724);
INSERT INTO runs VALUES (4, 'run_36845b0f-8d75-40a8-bc4b-4a19054d5b89', 3, 'waiting', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', '{"@agentkit/waiting":{"agentId":"helper","userId":"ann","sessionId":"waiting","seeded":0,"version":2,"parkedAt":1795460391779,"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":1,"ms":17.56882799999994}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}}}}', 1795460391762);
INSERT INTO runs VALUES (5, 'run_ded65805-b1fb-490a-8b7f-d5609556dcd4', 4, 'waiting', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', '{"@agentkit/waiting":{"agentId":"helper","userId":"ann","seeded":0,"version":2,"parkedAt":1795460391798,"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":1,"ms":18.087755000000016}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}}}}', 1795460391798);
INSERT INTO runs VALUES (6, 'run_53e362c6-fdc9-4a88-af67-c69628481913', 5, 'waiting', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":40,"outputTokens":20,"totalTokens":60}', '{"@agentkit/waiting":{"agentId":"team","userId":"ann","sessionId":"team","seeded":0,"version":2,"parkedAt":1795460391820,"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":40,"outputTokens":20,"totalTokens":60},"usd":0,"unpriced":true,"modelCalls":4,"toolCalls":2,"ms":6.824069999999892}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":2,"sources":[],"warnings":[],"misfits":0,"books":{}},"members":{"c2":{"approvals":[{"approvalId":"c2/1-pay","callId":"pay","name":"pay","kind":"approval","input":{},"path":["payer"]}],"history":[],"messages":[{"v":1,"role":"user","content":"Pay it"},{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"pay","name":"pay","input":{}}],"model":"test/scripted"}],"waiting":{"reason":"tool-calls","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"booked":{"budget":{},"spent":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"usd":0,"unpriced":true,"modelCalls":1,"toolCalls":0,"ms":0.5199439999998958}},"compaction":{"covered":0,"cleared":0},"progress":{"steps":1,"sources":[],"warnings":[],"misfits":0,"books":{}}}}}}}}', 1795460391813);
INSERT INTO runs VALUES (7, 'run_53e362c6-fdc9-4a88-af67-c69628481913/c1/253a7be0-ed55-41ea-867e-6d4a406ca2a8', 6, 'done', '27bdf64e-61a7-4602-9626-35b07369d781', '{"inputTokens":10,"outputTokens":5,"totalTokens":15}', NULL, 1795460391817);
INSERT INTO runs VALUES (8, 'run_of_a_dead_process', 7, 'running', '27bdf64e-61a7-4602-9626-35b07369d781', NULL, NULL, 1795460391822);
INSERT INTO messages VALUES (1, 0, '{"v":1,"role":"user","content":"Look, é!"}');
INSERT INTO messages VALUES (1, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"look","name":"look","input":{}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (1, 2, '{"v":1,"role":"tool","callId":"look","name":"look","content":"found"}');
INSERT INTO messages VALUES (1, 3, '{"v":1,"role":"assistant","content":[{"type":"text","text":"I have looked."}],"model":"test/scripted"}');
INSERT INTO messages VALUES (2, 0, '{"v":1,"role":"user","content":"And again"}');
INSERT INTO messages VALUES (2, 1, '{"v":1,"role":"assistant","content":[{"type":"text","text":"Again."}],"model":"test/scripted"}');
INSERT INTO messages VALUES (3, 0, '{"v":1,"role":"user","content":"Fail"}');
INSERT INTO messages VALUES (3, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"look","name":"look","input":{}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (3, 2, '{"v":1,"role":"tool","callId":"look","name":"look","content":"found"}');
INSERT INTO messages VALUES (3, 3, '{"v":1,"role":"assistant","content":[{"type":"text","text":"[stopped: provider-error]"}]}');
INSERT INTO messages VALUES (4, 0, '{"v":1,"role":"user","content":"Pay in a session"}');
INSERT INTO messages VALUES (4, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"look","name":"look","input":{}},{"type":"tool-call","callId":"pay","name":"pay","input":{}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (4, 2, '{"v":1,"role":"tool","callId":"look","name":"look","content":"found"}');
INSERT INTO messages VALUES (5, 0, '{"v":1,"role":"user","content":"Pay without a session"}');
INSERT INTO messages VALUES (5, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"look","name":"look","input":{}},{"type":"tool-call","callId":"pay","name":"pay","input":{}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (5, 2, '{"v":1,"role":"tool","callId":"look","name":"look","content":"found"}');
INSERT INTO messages VALUES (6, 0, '{"v":1,"role":"user","content":"File and pay"}');
INSERT INTO messages VALUES (6, 1, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"c1","name":"clerk","input":{"task":"File it"}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (7, 0, '{"v":1,"role":"user","content":"File it"}');
INSERT INTO messages VALUES (7, 1, '{"v":1,"role":"assistant","content":[{"type":"text","text":"Filed."}],"model":"test/scripted"}');
INSERT INTO messages VALUES (6, 2, '{"v":1,"role":"tool","callId":"c1","name":"clerk","content":"Filed."}');
INSERT INTO messages VALUES (6, 3, '{"v":1,"role":"assistant","content":[{"type":"tool-call","callId":"c2","name":"payer","input":{"task":"Pay it"}}],"model":"test/scripted"}');
INSERT INTO messages VALUES (8, 0, '{"v":1,"role":"user","content":"Never answered"}');
PRAGMA user_version = 1;
