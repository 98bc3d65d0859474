import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareProviders } from './compare-providers.ts'
import { compareRetrieval } from './compare-retrieval.ts'
import { type Contender, interleave, print, type Row } from './comparison.ts'
import { printFigures } from './figures.ts'
import { type AppKind, createApp } from './function-app.ts'
import { sendChats } from './http-load.ts'
import { memoryFigures } from './memory-figures.ts'
import { installPeers } from './peers.ts'
import { plot } from './plot.ts'
import { type Child, startChild } from './processes.ts'
import { providers } from './provider-calls.ts'
import { queueFigures } from './queue-figures.ts'
import { serverFigures } from './server-figures.ts'
import type { Job, Measured } from './worker.ts'

const words = process.argv.slice(2)
const picked = words.filter((word) => !word.startsWith('--'))
const option = (name: string): string | undefined => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1]
const rounds = Number(option('rounds') ?? 9)
const warmMs = Number(option('warm') ?? 5) * 1000
/** `--peers` adds other libraries. */
const peers = words.includes('--peers') ? ['ai-sdk', 'pi'] : []
if (peers.length > 0) installPeers()

const modelServer = await startChild('./model-server.ts')
const baseURL = `http://127.0.0.1:${(modelServer.first as { port: number }).port}/v1`
const work = await mkdtemp(join(tmpdir(), 'agentkit-bench-'))
const rows: Row[] = []
const wanted = (name: string): boolean => picked.length === 0 || picked.includes(name)
const runs = { kind: 'runs', forMs: 400, atOnce: 1 } as const
const stored = {
  kind: 'stored',
  model: 'work-0-5',
  messages: 1000,
  turns: 40,
  file: join(work, 'sessions.db'),
} as const

await compare('loop', { unit: 'step', unitsPerRun: 21, job: { ...runs, model: 'work-20-20' } })
await compare('one tool', { unit: 'run', job: { ...runs, model: 'work-1-20' } })
await compare('tokens', { unit: 'token', unitsPerRun: 2000, job: { ...runs, model: 'work-0-2000' } })
await compare('segments', { unit: 'token', unitsPerRun: 2000, job: { ...runs, model: 'work-0-2000-each' } })
await compare('concurrency', { unit: 'run', job: { ...runs, model: 'work-3-20', atOnce: 200 } })
await compare('plain', { unit: 'step', unitsPerRun: 21, job: { ...runs, model: 'work-20-20', plain: true } })
await compare('telemetry', {
  unit: 'step',
  unitsPerRun: 21,
  job: { ...runs, model: 'work-20-20' },
  baseline: 'agentkit',
  contestants: ['agentkit', 'agentkit-traced', 'agentkit-exported'],
})
await compare('history', {
  unit: '100 turns',
  job: { kind: 'history', model: 'work-1-5', turns: 400 },
  baseline: 'raw-http',
})
const besideHttp = { unit: '1,000 msg', baseline: 'raw-http', contestants: ['raw-http', 'agentkit'] }
await compare('stored', { ...besideHttp, job: { ...stored, hasSummary: false } })
await compare('summarized', { ...besideHttp, job: { ...stored, hasSummary: true } })
if (wanted('swarm')) await compareSwarm()
if (wanted('cold-start')) await compareStarts('cold-start', ['core', 'agentkit', 'agentkit-package', 'openai-sdk'])
if (wanted('first-answer')) {
  await compareStarts('first-answer', ['openai-sdk', 'raw-http', 'agentkit', 'agentkit-package', ...peers], baseURL)
}
if (wanted('functions')) await compareFunctions()
if (wanted('http')) await compareHttp()
const named = Object.keys(providers).filter((name) => wanted('providers') || wanted(name))
rows.push(...(await compareProviders(named, { rounds, warmMs })))
if (wanted('retrieval')) rows.push(...(await compareRetrieval({ rounds, warmMs: 0 })))
else if (picked.includes('large-file')) rows.push(...(await compareRetrieval({ rounds, warmMs: 0 }, ['large file'])))
modelServer.stop()
await rm(work, { recursive: true, force: true })

const how = `Node ${process.version}, ${rounds} rounds after ${warmMs / 1000} s, medians; CPU of the contestant's process, user and system.`
if (rows.length > 0) print(rows, how)
if (picked.includes('page')) {
  // Needs a browser, which no other row does.
  const { pageFigures, printPage } = await import('./page-figures.ts')
  printPage(await pageFigures(rounds))
}
if (picked.includes('server')) printFigures(await serverFigures(picked.filter((name) => name !== 'server')))
if (picked.includes('queue')) printFigures(await queueFigures(picked.filter((name) => name !== 'queue')))
if (picked.includes('memory')) printFigures(await memoryFigures())
const file = option('json')
if (file) await writeFile(file, JSON.stringify(rows, null, 2))
const picture = option('svg')
if (picture) await writeFile(picture, plot(rows, how))

type Comparison = {
  unit: string
  /** How many units a run of the job has; 1 when absent. */
  unitsPerRun?: number
  job: Job
  baseline?: string
  contestants?: readonly string[]
}

/** Compares contestants on one job; by default all of them with the SDK's loop. */
async function compare(
  name: string,
  {
    unit,
    unitsPerRun = 1,
    job,
    baseline = 'openai-sdk',
    contestants = ['raw-http', 'openai-sdk', 'agentkit', ...peers],
  }: Comparison,
): Promise<void> {
  if (!wanted(name)) return
  const enter = (contestant: string): Promise<Contender> => enterWorker(contestant, job, unitsPerRun)
  rows.push(...(await interleave({ name, unit, contestants, baseline, enter }, { rounds, warmMs })))
}

async function enterWorker(contestant: string, job: Job, unitsPerRun: number): Promise<Contender> {
  const worker = await startChild('./worker.ts', contestant, baseURL)
  return {
    stop: worker.stop,
    async round() {
      const measured = await worker.ask<Measured>(job)
      const units = measured.units * unitsPerRun
      return { ...measured, cpuMs: measured.slopeMs ?? measured.cpuMs / units, wallMs: measured.wallMs / units }
    },
  }
}

async function compareSwarm(): Promise<void> {
  const job = { kind: 'swarm', model: 'work-1-20', members: 5, forMs: 400 } as const
  const enter = (kind: string): Promise<Contender> =>
    enterWorker('agentkit', { ...job, asSwarm: kind === 'swarm of 5' }, 1)
  const contestants = ['single runs', 'swarm of 5']
  rows.push(...(await interleave({ name: 'swarm', unit: 'member', contestants, enter }, { rounds, warmMs })))
}

async function compareStarts(name: string, contestants: readonly string[], address?: string): Promise<void> {
  const enter = async (subject: string): Promise<Contender> => ({
    stop() {},
    async round() {
      const child = await startChild('./cold-start.ts', subject, ...(address ? [address] : []))
      child.stop()
      return child.first as Measured
    },
  })
  rows.push(...(await interleave({ name, unit: 'start', contestants, enter }, { rounds, warmMs: 1 })))
}

async function compareFunctions(): Promise<void> {
  const contestants: AppKind[] = ['by-hand', 'manifest', 'second', 'first']
  const apps = new Map<string, ReturnType<typeof createApp>>(contestants.map((kind) => [kind, createApp(kind)]))
  const enter = async (kind: string): Promise<Contender> => {
    const app = apps.get(kind)
    if (!app) throw new Error(`There is no app ${kind}.`)
    return { round: app.start, stop: app.remove }
  }
  rows.push(...(await interleave({ name: 'functions', unit: 'start', contestants, enter }, { rounds, warmMs: 1 })))
}

async function compareHttp(): Promise<void> {
  const enter = async (flavour: string): Promise<Contender> => {
    const server: Child = await startChild('./http-server.ts', flavour, baseURL)
    const { port } = server.first as { port: number }
    type Reading = { cpuMs: number; peakMb: number }
    return {
      stop: server.stop,
      async round() {
        const before = await server.ask<Reading>('stand')
        const startedAt = performance.now()
        const chats = await sendChats(port, 1200, 16)
        const wallMs = (performance.now() - startedAt) / chats
        const after = await server.ask<Reading>('stand')
        return { units: chats, cpuMs: (after.cpuMs - before.cpuMs) / chats, wallMs, peakMb: after.peakMb }
      },
    }
  }
  const contestants = ['openai-sdk', 'agentkit']
  rows.push(...(await interleave({ name: 'http', unit: 'chat', contestants, enter }, { rounds, warmMs })))
}
