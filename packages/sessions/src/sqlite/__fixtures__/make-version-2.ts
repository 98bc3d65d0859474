// Prints the SQL of a session database of version 2: what `version-2.sql` holds.
// Run with the sources of commit ada0a75, which writes this version: node make-version-2.ts > version-2.sql
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Agent, type AgentEvent, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { sqliteSessions } from '../sqlite-sessions.ts'

const path = join(mkdtempSync(join(tmpdir(), 'agentkit-version-2-')), 'sessions.db')
const sessions = sqliteSessions(path)
const { runs } = sessions
if (!runs) throw new Error('The store has no runs.')
const input = { type: 'object' }
const look = tool({ name: 'look', description: 'Looks.', input, execute: () => 'found' })
const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })
const helper = (script: Parameters<typeof scriptedModel>[0]): Agent =>
  new Agent({ name: 'Helper', functions: [look, pay], model: scriptedModel(script), sessions })
const payStep = { toolCalls: [{ name: 'look', callId: 'look' }, { name: 'pay', callId: 'pay' }] }
const inSession = (sessionId: string): { userId: string; sessionId: string } => ({ userId: 'ann', sessionId })

await helper([{ toolCalls: [{ name: 'look', callId: 'look' }] }, 'I have looked.']).chat('Look, é!', inSession('done'))
await helper(['Again.']).chat('And again', inSession('done'))
await sessions.rename({ agentId: 'helper', ...inSession('done') }, 'A title')
await helper([payStep]).stream('Pay in a session', { ...inSession('waiting'), resumable: true }).result

// A run whose process has died, with a finished step and its events.
const base = { agentId: 'helper', expectedVersion: 0, isResumable: true, keepsEvents: true }
const asked = { v: 1, role: 'user', content: 'Never answered' } as const
await runs.create({ agentId: 'helper', ...inSession('lost') }, { ...base, runId: 'run_lost', input: [asked], options: { seeded: 0 } })
const delta: AgentEvent = { type: 'text-delta', text: 'I', seq: 1, runId: 'run_lost', path: ['helper'] }
await runs.append('run_lost', { attempt: 1, events: [delta], calls: [{ callId: 'look', name: 'look', startedAt: 5 }] })
const request = { scope: 'ann chat', key: 'k', fingerprint: 'f' }
await runs.answers.reserve(request)
await runs.answers.store(request, { runId: 'run_lost', status: 200, body: 'é', type: 'text/plain' })

const database = new DatabaseSync(path)
const tables = ['holders', 'sessions', 'runs', 'messages', 'calls', 'approvals', 'events', 'answers', 'traces']
// Indexes and triggers of the tables follow their data, as triggers must not act on it.
const schema = database.prepare('SELECT type, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').all()
for (const { type, sql } of schema) if (type === 'table') console.log(`${sql};`)
for (const name of tables) {
  for (const row of database.prepare(`SELECT * FROM ${name}`).all()) {
    const values = Object.values(row).map((value) =>
      typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : value === null ? 'NULL' : String(value),
    )
    console.log(`INSERT INTO ${name} VALUES (${values.join(', ')});`)
  }
}
for (const { type, sql } of schema) if (type !== 'table') console.log(`${sql};`)
console.log('PRAGMA user_version = 2;')
database.close()
process.exit()
