// Works on background runs, whose tools write what they do to a file, until it is killed.
// node background-worker.ts <path> <file> prints "ready"
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteSessions } from '@agentkit/sessions'
import { steps } from './steps.ts'

const [path = '', file = ''] = process.argv.slice(2)
const agent = steps({
  sessions: sqliteSessions(path, { heartbeatMs: 200, staleAfterMs: 1_000 }),
  async effect(line) {
    await sleep(Math.random() * 10)
    appendFileSync(file, `${line}\n`)
    await sleep(Math.random() * 10)
  },
  called: (runId) => appendFileSync(`${file}.calls`, `${runId}\n`),
})
await agent.work({ concurrency: 8 })
console.log('ready')
