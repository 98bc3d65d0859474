import type { Contestant, Setup } from './contestant.ts'

/** One contestant in a separate process, which answers `Job`s over IPC with `Measured`. */
export type Job =
  | { kind: 'runs'; model: string; forMs: number; atOnce: number }
  | { kind: 'history'; model: string; turns: number }
  | { kind: 'memory' }
export type Measured = {
  units: number
  cpuMs: number
  wallMs: number
  peakMb: number
  slopeMs?: number
  /** The longest delay of the event loop. */
  blockedMs?: number
  /** The largest peak memory of a child process. Linux only. */
  childMb?: number
}

const [contestantName = '', baseURL = ''] = process.argv.slice(2)
const { setup } = (await import(`./contestants/${contestantName}.ts`)) as { setup: Setup }
const contestant = setup(baseURL)

process.on('message', async (job: Job) => {
  try {
    process.send?.(await measure(job))
  } catch (error) {
    process.send?.({ error: String((error as Error).stack ?? error) })
  }
})
process.send?.('ready')

async function measure(job: Job): Promise<Measured> {
  switch (job.kind) {
    case 'runs':
      return timed(async (elapsed) => {
        let runs = 0
        do {
          await Promise.all(Array.from({ length: job.atOnce }, () => checkedRun(contestant, job.model)))
          runs += job.atOnce
        } while (elapsed() < job.forMs)
        return runs
      })
    case 'history':
      return measureHistory(job.model, job.turns)
    case 'memory':
      return timed(async () => 0)
  }
}

/** The time that 100 earlier turns add to a turn: the difference between the last quarter and the first, per 100 turns. */
async function measureHistory(model: string, turns: number): Promise<Measured> {
  const session = `history-${Math.random()}`
  const quarter = turns / 4
  const costs: number[] = []
  const whole = await timed(async () => {
    for (let index = 0; index < 4; index++) {
      const part = await timed(async () => {
        for (let turn = 0; turn < quarter; turn++) await checkedRun(contestant, model, session)
        return quarter
      })
      costs.push(part.cpuMs / quarter)
    }
    return turns
  })
  const slope = (((costs[3] ?? 0) - (costs[0] ?? 0)) / (quarter * 3)) * 100
  return { ...whole, slopeMs: slope }
}

async function checkedRun({ run }: Contestant, model: string, session?: string): Promise<void> {
  const [, steps, tokens] = /^work-(\d+)-(\d+)$/.exec(model) ?? []
  let received = 0
  const { text, toolCalls } = await run(model, 'Do the work that was asked for, please.', session, (delta) => {
    received += delta.length
  })
  const wrong =
    toolCalls !== Number(steps) || text.split(' tok').length - 1 !== Number(tokens) || received !== text.length
  if (wrong) throw new Error(`A run gave ${toolCalls} tool calls, ${received} of ${text.length} characters.`)
}

async function timed(work: (elapsed: () => number) => Promise<number>): Promise<Measured> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const units = await work(() => performance.now() - startedAt)
  const cpu = process.cpuUsage(cpuBefore)
  return {
    units,
    cpuMs: (cpu.user + cpu.system) / 1000,
    wallMs: performance.now() - startedAt,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }
}
