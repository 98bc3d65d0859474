// Takes jobs whenever there are some, and prints each: `settle` ends them, `hold` keeps them until the process is killed.
import type { RunQueue } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', how = 'settle'] = process.argv.slice(2)
// A file has a queue.
const queue = sqliteSessions(path).runs?.background?.queue as RunQueue
let taking = Promise.resolve()

const takeAll = async (): Promise<void> => {
  for (;;) {
    const jobs = await queue.take({ agentIds: ['helper'], limit: 4 })
    if (jobs.length === 0) return
    for (const job of jobs) {
      console.log(job.runId)
      if (how === 'settle') await queue.settle(job)
    }
  }
}
queue.onReady(['helper'], () => {
  taking = taking.then(takeAll)
})
// The queue's own timer keeps no process alive.
setInterval(() => {}, 60_000)
console.log('ready')
