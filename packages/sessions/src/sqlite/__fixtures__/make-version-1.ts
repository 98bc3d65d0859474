// Prints the SQL of a session database of version 1: what `version-1.sql` holds.
// Run with the sources of commit f728b39, the last one that writes this version: node make-version-1.ts > version-1.sql
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Agent, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { sqliteSessions } from '../sqlite-sessions.ts'

const path = join(mkdtempSync(join(tmpdir(), 'agentkit-version-1-')), 'sessions.db')
const sessions = sqliteSessions(path)
const input = { type: 'object' }
const look = tool({ name: 'look', description: 'Looks.', input, execute: () => 'found' })
const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })
const helper = (script: Parameters<typeof scriptedModel>[0]): Agent =>
  new Agent({ name: 'Helper', functions: [look, pay], model: scriptedModel(script), sessions })
const payStep = { toolCalls: [{ name: 'look', callId: 'look' }, { name: 'pay', callId: 'pay' }] }
const inSession = (sessionId: string): { userId: string; sessionId: string } => ({ userId: 'ann', sessionId })

await helper([{ toolCalls: [{ name: 'look', callId: 'look' }] }, 'I have looked.']).chat('Look, é!', inSession('done'))
await helper(['Again.']).chat('And again', inSession('done'))
await helper([{ toolCalls: [{ name: 'look', callId: 'look' }] }, { error: new Error('out of order') }])
  .chat('Fail', inSession('failed'))
  .catch(() => {})
await helper([payStep]).stream('Pay in a session', inSession('waiting')).result
await helper([payStep]).stream('Pay without a session', { userId: 'ann' }).result

const payer = new Agent({ name: 'Payer', functions: [pay], model: scriptedModel([{ toolCalls: [{ name: 'pay', callId: 'pay' }] }]), sessions })
const clerk = new Agent({ name: 'Clerk', functions: [look], model: scriptedModel(['Filed.']), sessions })
const team = new Swarm({
  name: 'Team',
  agents: [payer, clerk],
  model: scriptedModel([
    { toolCalls: [{ name: 'clerk', callId: 'c1', input: { task: 'File it' } }] },
    { toolCalls: [{ name: 'payer', callId: 'c2', input: { task: 'Pay it' } }] },
  ]),
  sessions,
})
await team.stream('File and pay', inSession('team')).result

await sessions.begin({ agentId: 'helper', ...inSession('running') }, {
  runId: 'run_of_a_dead_process',
  expectedVersion: 0,
  input: [{ v: 1, role: 'user', content: 'Never answered' }],
})

const database = new DatabaseSync(path)
const names = ['holders', 'sessions', 'runs', 'messages']
const schema = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").all()
for (const { sql } of schema) console.log(`${sql};`)
for (const name of names) {
  for (const row of database.prepare(`SELECT * FROM ${name}`).all()) {
    const values = Object.values(row).map((value) =>
      typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : value === null ? 'NULL' : String(value),
    )
    console.log(`INSERT INTO ${name} VALUES (${values.join(', ')});`)
  }
}
console.log('PRAGMA user_version = 1;')
database.close()
process.exit()
