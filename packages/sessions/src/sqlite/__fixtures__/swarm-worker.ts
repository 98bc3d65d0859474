// Works on the runs of swarms until it is killed.
// node swarm-worker.ts <path> <file>    prints "ready"
import { workOn } from '@agentkit/core/internal'
import { sqliteSessions } from '@agentkit/sessions'
import { journalTeam } from './journal-team.ts'
import { kinds } from './team.ts'

const [path = '', file = ''] = process.argv.slice(2)
const sessions = sqliteSessions(path, { heartbeatMs: 200, staleAfterMs: 1_000 })
await workOn(
  kinds.map((kind) => journalTeam(sessions, kind, file)),
  { concurrency: 6 },
)
console.log('ready')
