import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AppKind, createApp } from './function-app.ts'
import { sendChats } from './http-load.ts'
import { type Child, median, startChild } from './processes.ts'
import { providers } from './provider-calls.ts'
import type { ProviderJob } from './provider-worker.ts'
import { queueFigures } from './queue-figures.ts'
import { tenThousandFiles, writeFolder, writeTable } from './retrieval-folder.ts'
import type { RetrievalJob } from './retrieval-worker.ts'
import { printFigures, serverFigures } from './server-figures.ts'
import type { Job, Measured } from './worker.ts'

/** One line of the table: medians over the rounds, per unit. */
type Row = { name: string; contestant: string; unit: string } & Omit<Measured, 'units' | 'slopeMs'>

const words = process.argv.slice(2)
const picked = words.filter((word) => !word.startsWith('--'))
const option = (name: string): string | undefined => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1]
const rounds = Number(option('rounds') ?? 5)

const modelServer = await startChild('./model-server.ts')
const baseURL = `http://127.0.0.1:${(modelServer.first as { port: number }).port}/v1`
const rows: Row[] = []
const wanted = (name: string): boolean => picked.length === 0 || picked.includes(name)

if (wanted('loop')) await compare('loop', 'step', { kind: 'runs', model: 'work-20-20', forMs: 400, atOnce: 1 }, 21)
if (wanted('tokens'))
  await compare('tokens', 'token', { kind: 'runs', model: 'work-0-2000', forMs: 400, atOnce: 1 }, 2000)
if (wanted('concurrency'))
  await compare('concurrency', 'run', { kind: 'runs', model: 'work-3-20', forMs: 400, atOnce: 200 }, 1)
if (wanted('history')) await compare('history', '100 turns', { kind: 'history', model: 'work-1-5', turns: 400 }, 1)
if (wanted('cold-start')) await compareColdStart()
if (wanted('functions')) await compareFunctions()
if (wanted('http')) await compareHttp()
await compareProviders(Object.keys(providers).filter((name) => wanted('providers') || wanted(name)))
if (wanted('retrieval')) await compareRetrieval()
else if (picked.includes('large-file')) await compareRetrieval(['large file'])
modelServer.stop()

if (rows.length > 0) print(rows)
if (picked.includes('page')) {
  // Needs a browser, which no other row does.
  const { pageFigures, printPage } = await import('./page-figures.ts')
  printPage(await pageFigures(rounds))
}
if (picked.includes('server')) printFigures(await serverFigures(picked.filter((name) => name !== 'server')))
if (picked.includes('queue')) printFigures(await queueFigures(picked.filter((name) => name !== 'queue')))
const file = option('json')
if (file) await writeFile(file, JSON.stringify(rows, null, 2))

/** Both contestants on one job, round by round, after a round that warms up. */
async function compare(name: string, unit: string, job: Job, unitsPerRun: number): Promise<void> {
  await interleave(name, unit, async (contestant) => {
    const worker = await startChild('./worker.ts', contestant, baseURL)
    return {
      stop: worker.stop,
      async round() {
        const measured = await worker.ask<Measured>(job)
        const units = measured.units * unitsPerRun
        return { ...measured, cpuMs: measured.slopeMs ?? measured.cpuMs / units, wallMs: measured.wallMs / units }
      },
    }
  })
}

async function compareColdStart(): Promise<void> {
  const round = (subject: string) => async (): Promise<Measured> => {
    const child = await startChild('./cold-start.ts', subject)
    child.stop()
    return child.first as Measured
  }
  const subjects = ['openai-sdk', 'agentkit', 'core']
  await interleave('cold-start', 'start', async (subject) => ({ round: round(subject), stop() {} }), subjects)
}

async function compareFunctions(): Promise<void> {
  const kinds: AppKind[] = ['by-hand', 'manifest', 'second', 'first']
  const apps = new Map<string, ReturnType<typeof createApp>>(kinds.map((kind) => [kind, createApp(kind)]))
  const enter = async (kind: string): Promise<Contender> => {
    const app = apps.get(kind)
    if (!app) throw new Error(`There is no app ${kind}.`)
    return { round: app.start, stop: app.remove }
  }
  await interleave('functions', 'start', enter, kinds)
}

async function compareHttp(): Promise<void> {
  await interleave('http', 'chat', async (flavour) => {
    const server: Child = await startChild('./http-server.ts', flavour, baseURL)
    const { port } = server.first as { port: number }
    type Stand = { cpuMs: number; peakMb: number }
    return {
      stop: server.stop,
      async round() {
        const before = await server.ask<Stand>('stand')
        const startedAt = performance.now()
        const chats = await sendChats(port, 1200, 16)
        const wallMs = (performance.now() - startedAt) / chats
        const after = await server.ask<Stand>('stand')
        return { units: chats, cpuMs: (after.cpuMs - before.cpuMs) / chats, wallMs, peakMb: after.peakMb }
      },
    }
  })
}

/** Each provider's package against its official SDK, on the same stream: a call of 20 tokens, and a token of 2000. */
async function compareProviders(names: readonly string[]): Promise<void> {
  for (const provider of names) {
    const server = await startChild('./provider-server.ts', providers[provider]?.wire ?? '')
    const { url } = server.first as { url: string }
    for (const [unit, tokens, divisor] of [
      ['call', 20, 1],
      ['token', 2000, 2000],
    ] as const) {
      const enter = async (contestant: string): Promise<Contender> => {
        const worker = await startChild('./provider-worker.ts', contestant, provider, url)
        const job: ProviderJob = { tokens, forMs: 800 }
        return {
          stop: worker.stop,
          async round() {
            const measured = await worker.ask<Measured>(job)
            return { ...measured, cpuMs: measured.cpuMs / divisor, wallMs: measured.wallMs / divisor }
          },
        }
      }
      await interleave(`${provider} ${unit}`, unit, enter, ['sdk', 'agentkit'])
    }
    server.stop()
  }
}

/** A folder of 32 MB: each job in a fresh process, on the index of the previous job. */
async function compareRetrieval(
  jobs: readonly RetrievalJob[] = ['large file', 'first sync', 'second sync', 'one change', 'open and ask', 'question'],
): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'agentkit-bench-'))
  const folder = join(work, 'files')
  const megabytes = (await writeFolder(folder, tenThousandFiles)) / 1e6
  const table = join(work, 'table')
  await writeTable(table, 50e6)
  for (const job of jobs) {
    const enter = async (contestant: string): Promise<Contender> => {
      const index = join(work, contestant)
      return {
        stop() {},
        async round() {
          const isFirst = job === 'first sync' || job === 'large file'
          if (isFirst) await rm(index, { recursive: true, force: true })
          const child = await startChild(
            './retrieval-worker.ts',
            contestant,
            job === 'large file' ? table : folder,
            index,
            job,
          )
          await child.ended
          return child.first as Measured
        },
      }
    }
    await interleave(job, unitOf(job), enter, searchersOf(job))
  }
  await rm(work, { recursive: true, force: true })

  function unitOf(job: RetrievalJob): string {
    if (job === 'large file') return '50 MB'
    return job === 'first sync' ? `${megabytes.toFixed(0)} MB` : 'each'
  }
}

/** The handwritten in-memory index is the baseline for the jobs that it supports. */
function searchersOf(job: RetrievalJob): string[] {
  const isOurs = job === 'large file' || job === 'second sync' || job === 'one change'
  return isOurs ? ['basic', 'localstore'] : ['minisearch', 'basic', 'localstore']
}

type Contender = { round(): Promise<Measured>; stop(): void }

async function interleave(
  name: string,
  unit: string,
  enter: (contestant: string) => Promise<Contender>,
  contestants: readonly string[] = ['openai-sdk', 'agentkit'],
): Promise<void> {
  process.stderr.write(`${name} …\n`)
  const entered = await Promise.all(
    contestants.map(async (contestant) => ({ contestant, ...(await enter(contestant)) })),
  )
  const measured = entered.map(() => [] as Measured[])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { round: play }] of entered.entries()) {
      const result = await play()
      if (round > 0) measured[index]?.push(result)
    }
  }
  for (const [index, { contestant, stop }] of entered.entries()) {
    stop()
    const results = measured[index] ?? []
    rows.push({
      name,
      contestant,
      unit,
      cpuMs: median(results.map((result) => result.cpuMs)),
      wallMs: median(results.map((result) => result.wallMs)),
      peakMb: median(results.map((result) => result.peakMb)),
      blockedMs: median(results.map((result) => result.blockedMs ?? Number.NaN)),
      childMb: median(results.map((result) => result.childMb ?? Number.NaN)),
    })
  }
}

function print(table: readonly Row[]): void {
  const microseconds = (milliseconds: number): string => (milliseconds * 1000).toFixed(1)
  console.log('row             contestant  unit       CPU µs     ×      wall µs    peak MB  blocked ms parser MB')
  for (const row of table) {
    // The first contestant of a row is the baseline.
    const floor = table.find((other) => other.name === row.name)
    const ratio = floor ? (row.cpuMs / floor.cpuMs).toFixed(2) : ''
    const cells = [
      row.name.padEnd(15),
      row.contestant.padEnd(11),
      row.unit.padEnd(10),
      microseconds(row.cpuMs).padEnd(10),
    ]
    const rounded = (number = Number.NaN): string => (Number.isNaN(number) ? '' : number.toFixed(0))
    cells.push(ratio.padEnd(6), microseconds(row.wallMs).padEnd(10), rounded(row.peakMb).padEnd(8))
    console.log([...cells, rounded(row.blockedMs).padEnd(10), rounded(row.childMb)].join(' '))
  }
  console.log(`Node ${process.version}, ${rounds} rounds, medians; CPU of the contestant's process, user and system.`)
}
