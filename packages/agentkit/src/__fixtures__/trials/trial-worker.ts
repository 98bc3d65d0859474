// A worker of a trial, which logs what its agents do, until it is killed. It prints "ready".
// node trial-worker.ts <JSON of TrialWorker>
import { appendFileSync } from 'node:fs'
import { workOn } from '@agentkit/core/internal'
import { openTrialStore } from './open-trial-store.ts'
import { trialAgents } from './trial-agents.ts'

export type TrialWorker = {
  /** A `postgres://` URL, or the path of a file. */
  place: string
  /** The file that all workers write what they do to. */
  log: string
  concurrency?: number
  thinkMs?: number
  poison?: string
  version?: string
  /** How soon it has lost its runs, of a store in a file, in milliseconds. */
  staleAfterMs?: number
  /** How much the clock of this process is ahead, in milliseconds. */
  clockMs?: number
}

const { place, log, concurrency = 8, clockMs = 0, staleAfterMs, ...more }: TrialWorker = JSON.parse(process.argv[2] ?? '{}')
// The clock of the machine, which the trial shares.
const elapsed = (): number => performance.timeOrigin + performance.now()
if (clockMs !== 0) shiftClock(clockMs)
const sessions = openTrialStore(place, staleAfterMs)
const agents = trialAgents({
  ...{ sessions, ...more },
  log: (kind, runId, agent, step) =>
    appendFileSync(log, `${Math.round(elapsed())} ${process.pid} ${kind} ${runId} ${agent} ${step}\n`),
})
await workOn(agents, { concurrency })
console.log('ready')
setInterval(() => {}, 60_000)

function shiftClock(ms: number): void {
  const Real = Date
  const now = (): number => Real.now() + ms
  globalThis.Date = new Proxy(Real, {
    construct: (target, values) => Reflect.construct(target, values.length === 0 ? [now()] : values),
    apply: () => new Real(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
