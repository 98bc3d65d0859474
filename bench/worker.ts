import { type Contestant, earlierMessages, type Prompt, type Setup } from './contestant.ts'

/** One contestant in a separate process, which answers `Job`s over IPC with `Measured`. */
export type Job =
  | { kind: 'runs'; model: string; forMs: number; atOnce: number; plain?: boolean }
  | { kind: 'history'; model: string; turns: number }
  /** The cost that stored messages add to a turn; the messages are in memory if the contestant has no store. */
  | { kind: 'stored'; model: string; file: string; messages: number; hasSummary: boolean; turns: number }
  | { kind: 'swarm'; model: string; members: number; forMs: number; asSwarm: boolean }
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
const question = 'Do the work that was asked for, please.'

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
      return repeated(job, async () => {
        const { atOnce, model, plain } = job
        await Promise.all(Array.from({ length: atOnce }, () => checkedRun(contestant, { model, plain })))
        return atOnce
      })
    case 'history':
      return measureHistory(job.model, job.turns)
    case 'stored':
      return measureStored(job)
    case 'swarm':
      return repeated(job, async () => {
        const { members, model } = job
        if (job.asSwarm) await contestant.runSwarm?.({ model, prompt: question }, members)
        else for (let member = 0; member < members; member++) await checkedRun(contestant, { model })
        return members
      })
  }
}

function repeated({ forMs }: { forMs: number }, work: () => Promise<number>): Promise<Measured> {
  return timed(async (elapsed) => {
    let units = 0
    do units += await work()
    while (elapsed() < forMs)
    return units
  })
}

/** The time that 100 earlier turns add to a turn: the difference between the last quarter and the first, per 100 turns. */
async function measureHistory(model: string, turns: number): Promise<Measured> {
  const session = `history-${Math.random()}`
  const quarter = turns / 4
  const costs: number[] = []
  const whole = await timed(async () => {
    for (let index = 0; index < 4; index++) {
      const part = await timed(() => converse(model, session, quarter))
      costs.push(part.cpuMs / quarter)
    }
    return turns
  })
  const slope = (((costs[3] ?? 0) - (costs[0] ?? 0)) / (quarter * 3)) * 100
  return { ...whole, slopeMs: slope }
}

/** The difference between a turn of a session with many messages and one of a session with two. */
async function measureStored(job: Extract<Job, { kind: 'stored' }>): Promise<Measured> {
  const { model, file, messages, hasSummary, turns } = job
  const costs: number[] = []
  const whole = await timed(async () => {
    for (const count of [messages, 2]) {
      const session = `stored-${Math.random()}`
      await contestant.storeSession?.(file, { session, model, count, hasSummary: hasSummary && count > 50 })
      const history = contestant.storeSession ? [] : earlierMessages(hasSummary ? Math.min(count, 50) : count)
      await checkedRun(contestant, { model, session, history })
      costs.push((await timed(() => converse(model, session, turns))).cpuMs / turns)
    }
    return turns
  })
  return { ...whole, slopeMs: (costs[0] ?? 0) - (costs[1] ?? 0) }
}

async function converse(model: string, session: string, turns: number): Promise<number> {
  for (let turn = 0; turn < turns; turn++) await checkedRun(contestant, { model, session })
  return turns
}

async function checkedRun({ run }: Contestant, prompt: Omit<Prompt, 'prompt'>): Promise<void> {
  const [, steps, tokens] = /^work-(\d+)-(\d+)/.exec(prompt.model) ?? []
  let received = 0
  const onDelta = (delta: string): void => {
    received += delta.length
  }
  const { text, toolCalls } = await run({ ...prompt, prompt: question, ...(!prompt.plain && { onDelta }) })
  const isRead = prompt.plain || received === text.length
  if (toolCalls === Number(steps) && text.split(' tok').length - 1 === Number(tokens) && isRead) return
  throw new Error(`A run gave ${toolCalls} tool calls, ${received} of ${text.length} characters.`)
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
