// Begins a run, and exits without ending it.
// node leave-run.ts <path>
import { sqliteSessions } from '@agentkit/sessions'

const store = sqliteSessions(process.argv[2] ?? '')
const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
await store.begin(key, { runId: 'left', expectedVersion: 0, input: [] })
