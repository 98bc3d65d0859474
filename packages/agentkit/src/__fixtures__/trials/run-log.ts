import { existsSync, readFileSync } from 'node:fs'

/** An action of a worker, with its time. */
export type LogLine = { at: number; pid: number; kind: string; runId: string; agent: string; step: number }

export function readLog(path: string): LogLine[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [at = '', pid = '', kind = '', runId = '', agent = '', step = ''] = line.split(' ')
      return { at: Number(at), pid: Number(pid), kind, runId, agent, step: Number(step) }
    })
    .sort((one, other) => one.at - other.at)
}

export type Repetitions = {
  /** Model calls and idempotent tools of a step after one whose later step had begun. */
  finishedSteps: string[]
  /** Effects of the tool that is not idempotent that were made more than once. */
  writes: string[]
  /** Runs with more repeated model calls than their processes were lost. */
  calls: string[]
  /** Model calls that were repeated, in all. */
  repeatedCalls: number
}

/** @param lost how often each process was lost to others */
export function repetitionsIn(lines: readonly LogLine[], lost: ReadonlyMap<number, number>): Repetitions {
  const found: Repetitions = { finishedSteps: [], writes: [], calls: [], repeatedCalls: 0 }
  // A member's run is journaled by itself.
  for (const [runId, own] of Map.groupBy(lines, ({ runId, agent }) => `${runId}/${agent}`)) {
    const seen = new Map<string, number>()
    let latest = 0
    let repeated = 0
    for (const { kind, step, pid } of own) {
      const times = (seen.get(`${kind} ${step}`) ?? 0) + 1
      seen.set(`${kind} ${step}`, times)
      if (times > 1 && kind === 'write') found.writes.push(`${runId} ${step}`)
      if (times > 1 && kind === 'call') repeated++
      if (step < latest) found.finishedSteps.push(`${runId} ${kind} ${step} by ${pid}`)
      if (kind === 'call') latest = Math.max(latest, step)
    }
    const pids = new Set(own.map(({ pid }) => pid))
    const losses = [...pids].reduce((sum, pid) => sum + (lost.get(pid) ?? 0), 0)
    if (repeated > losses) found.calls.push(`${runId}: ${repeated} repeated, ${losses} lost`)
    found.repeatedCalls += repeated
  }
  return found
}
